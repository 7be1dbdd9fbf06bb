import type { Knex } from 'knex';

/** Runs `work` in the transaction `db` is, or in one of its own. */
export async function inSavepoint<T>(db: Knex, work: (tx: Knex) => Promise<T>): Promise<T> {
  return db.isTransaction === true ? work(db) : db.transaction((tx) => work(tx));
}
