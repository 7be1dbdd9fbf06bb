import type { Knex } from 'knex';

/** Published proofs that their owner withdrew: they stay in the list and in the graph, without what they showed. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table agent_proofs add column withdrawn_at timestamptz, add column withdrawn_reason text,
      add constraint agent_proofs_withdrawn check ((withdrawn_at is null) = (withdrawn_reason is null) and (withdrawn_at is null or (published and token is not null)));
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table agent_proofs drop column withdrawn_at, drop column withdrawn_reason');
}
