import type { Knex } from 'knex';

/** The orders of the list of runs, as core/runs/record/ asks for them; and its calls between agents. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create index receipts_caller_longest on receipts (caller_user_id, duration_ms desc, receipt_id desc) where source = 'platform';
    create index receipts_agent_longest on receipts (agent_id, duration_ms desc, receipt_id desc) where source = 'platform';
    create index receipts_caller_costliest on receipts (caller_user_id, (cast(payload->'charge'->>'amount_micros' as bigint)) desc, receipt_id desc)
      where cast(payload->'charge'->>'amount_micros' as bigint) > 0;
    create index receipts_agent_costliest on receipts (agent_id, (cast(payload->'charge'->>'amount_micros' as bigint)) desc, receipt_id desc)
      where cast(payload->'charge'->>'amount_micros' as bigint) > 0;
    create index receipts_caller_charged on receipts (caller_user_id, created_at desc, receipt_id desc)
      where cast(payload->'charge'->>'amount_micros' as bigint) > 0;
    create index receipts_agent_charged on receipts (agent_id, created_at desc, receipt_id desc)
      where cast(payload->'charge'->>'amount_micros' as bigint) > 0;
    create index receipts_caller_by_agents on receipts (caller_user_id, created_at desc, receipt_id desc) where caller_kind = 'run';
    create index receipts_agent_by_agents on receipts (agent_id, created_at desc, receipt_id desc) where caller_kind = 'run';
    create index jobs_owner_longest on jobs (owner_id, ((extract(epoch from ended_at - coalesce(started_at, created_at)) * 1000)::bigint) desc, job_id desc)
      where ended_at is not null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index jobs_owner_longest, receipts_agent_by_agents, receipts_caller_by_agents, receipts_agent_charged, receipts_caller_charged,
      receipts_agent_costliest, receipts_caller_costliest, receipts_agent_longest, receipts_caller_longest;
  `);
}
