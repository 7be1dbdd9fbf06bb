import type { Knex } from 'knex';

/** False for accounts that people made themselves: nobody has checked that the address is theirs. */
export async function up(db: Knex): Promise<void> {
  await db.raw('alter table idp_accounts add column email_verified boolean not null default true');
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table idp_accounts drop column email_verified');
}
