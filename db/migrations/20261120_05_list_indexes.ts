import type { Knex } from 'knex';

/** Filtered lists read their page and nothing else, however many rows the account or the agent has. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create index jobs_owner_kind on jobs (owner_id, kind, created_at desc, job_id desc);
    create index jobs_owner_state on jobs (owner_id, state, created_at desc, job_id desc);
    create index jobs_owner_agent on jobs (owner_id, agent_name, created_at desc, job_id desc);
    drop index receipts_caller;
    create index receipts_caller on receipts (caller_user_id, agent_id, created_at desc, receipt_id desc);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index receipts_caller, jobs_owner_agent, jobs_owner_state, jobs_owner_kind;
    create index receipts_caller on receipts (caller_user_id, created_at desc);
  `);
}
