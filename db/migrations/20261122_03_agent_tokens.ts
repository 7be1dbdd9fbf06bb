import type { Knex } from 'knex';

// A visitor's session at an agent's origin and a token for an agent's tool API are two things: they open different doors.
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table platform_tokens drop constraint platform_tokens_kind_check;
    alter table platform_tokens add constraint platform_tokens_kind_check check (kind in ('user', 'platform', 'agent_session', 'agent_api'));
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    delete from platform_tokens where kind = 'agent_api';
    alter table platform_tokens drop constraint platform_tokens_kind_check;
    alter table platform_tokens add constraint platform_tokens_kind_check check (kind in ('user', 'platform', 'agent_session'));
  `);
}
