import type { Knex } from 'knex';

/** A receipt names the files that its run read: they are kept until it is sealed. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table run_reads (
      run_id     text not null references runs on delete cascade,
      path       text collate "C" not null,
      -- A file that changes meanwhile is two.
      sha256     text not null,
      size_bytes bigint not null,
      at         timestamptz not null default now(),
      primary key (run_id, path, sha256)
    );
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table run_reads');
}
