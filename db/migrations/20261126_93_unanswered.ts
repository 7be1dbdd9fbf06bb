import type { Knex } from 'knex';

const listed = "deleted_at is null and visibility = 'public' and live_deploy_id is not null";

/** An imported agent that does not answer comes last in every list that is ordered by use. Kept at the agent, where the order's index is. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table agents add column unanswered boolean not null default false;
    drop index agents_public;
    create index agents_public on agents (unanswered, call_count desc, name) where ${listed};
    update agents a set unanswered = true from agent_imports im where im.agent_id = a.agent_id and im.unanswered_since is not null;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index agents_public;
    create index agents_public on agents (call_count desc, name) where ${listed};
    alter table agents drop column unanswered;
  `);
}
