import type { Knex } from 'knex';

/** What an agent wrote to its log for a run that failed, beyond the log itself: for the owner of the agent. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- JSON; null: it was not looked for yet, or is not kept. Only who owns the agent reads it.
    alter table call_contents add column log text;
    -- Until then it is kept; null: not at all.
    alter table call_contents add column log_until timestamptz;
    create index call_contents_log_due on call_contents (ended_at) where log is null and log_until is not null;
    create index call_contents_log_until on call_contents (log_until) where log_until is not null;
    create index call_contents_logged on call_contents (agent_id, request_id) where log is not null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index call_contents_logged, call_contents_log_until, call_contents_log_due;
    alter table call_contents drop column log_until, drop column log;
  `);
}
