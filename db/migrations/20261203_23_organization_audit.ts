import type { Knex } from 'knex';

/**
 * The audit log of an organization. An action writes its row into audit_log, in its transaction; within a second the row is sealed into a chain: a
 * number, and a hash over it and the hash before. So no action waits for another, and a row that is taken away, changed or put in later shows.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table audit_log
      add column organization_id text,
      add column sealed_at timestamptz;
    create index audit_log_unsealed on audit_log (organization_id, at, audit_id) where organization_id is not null and sealed_at is null;

    create table organization_audit (
      organization_id text not null references organizations,
      sequence        bigint not null check (sequence > 0),
      audit_id        text not null unique,
      action          text not null,
      actor_id        text,
      at              timestamptz not null,
      -- Canonical JSON (RFC 8785) of what is hashed.
      entry           text not null,
      previous_sha256 text not null,
      sha256          text not null,
      primary key (organization_id, sequence)
    );
    create index organization_audit_action on organization_audit (organization_id, action, sequence);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table organization_audit;
    drop index audit_log_unsealed;
    alter table audit_log drop column organization_id, drop column sealed_at;
  `);
}
