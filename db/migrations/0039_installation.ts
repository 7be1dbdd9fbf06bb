import type { Knex } from 'knex';

/** One row of the installation itself: which platform key its encrypted values need. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table installation (
      only_one        boolean primary key default true check (only_one),
      -- SHA-256 of what is derived from the root key, shortened: it names the key and tells nothing of it.
      key_fingerprint text not null check (key_fingerprint ~ '^[0-9a-f]{16}$'),
      created_at      timestamptz not null default now()
    );
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table installation');
}
