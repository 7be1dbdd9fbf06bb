import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPool } from '#db/pool.ts';
import { testDatabase } from '#test/support/servers.ts';
import { testCtx } from '#test/support/verbs.ts';
import { afterCommit } from './after-commit.ts';
import { inTx } from './tx.ts';

let db: Knex;
beforeAll(async () => {
  db = createPool({ connectionString: (await testDatabase()).url });
  await db.raw('create table notes (text text)');
});
afterAll(() => db.destroy());
const ctx = () => testCtx(db, { actor: { kind: 'anonymous' } });

it('nested verbs join the transaction, and go with it', async () => {
  const failing = inTx(ctx(), async (ctx) => {
    await ctx.db('notes').insert({ text: 'outer' });
    await inTx(ctx, async (ctx) => {
      expect(ctx.db).toBe(ctx.db);
      await ctx.db('notes').insert({ text: 'inner' });
    });
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await db('notes')).toEqual([]);
});

it('hooks run after the commit, with the pool, and never after a rollback', async () => {
  const ran: string[] = [];
  const seen = Promise.withResolvers<unknown>();
  await inTx(ctx(), async (ctx) => {
    await ctx.db('notes').insert({ text: 'kept' });
    afterCommit(ctx.db, (pool) => {
      ran.push('committed');
      pool('notes').then(seen.resolve, seen.reject);
    });
    expect(ran).toEqual([]);
  });
  expect(ran).toEqual(['committed']);
  expect(await seen.promise).toEqual([{ text: 'kept' }]);
  await expect(
    inTx(ctx(), async (ctx) => {
      afterCommit(ctx.db, () => ran.push('rolled back'));
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  expect(ran).toEqual(['committed']);
});

it('a hook needs a transaction that somebody will say is committed', async () => {
  await db.transaction(async (tx) => expect(() => afterCommit(tx, () => undefined)).toThrow(/inTx/));
});
