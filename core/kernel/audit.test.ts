import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPool } from '#db/pool.ts';
import { testDatabase } from '#test/support/servers.ts';
import type { Actor } from './ctx.ts';
import { testCtx } from '#test/support/verbs.ts';
import { inTx } from './tx.ts';
import { audit } from './audit.ts';

let db: Knex;
beforeAll(async () => void (db = createPool({ connectionString: (await testDatabase()).url })));
afterAll(() => db.destroy());

it.each<[Actor, string | null, string | null]>([
  [{ kind: 'user', user_id: 'usr_1', email: 'a@b.c', operator: false, via: 'bearer' }, 'usr_1', 'usr_1'],
  [{ kind: 'api_token', token_id: 'tok_1', agent_id: 'agt_1', owner_id: 'usr_2' }, 'tok_1', 'usr_2'],
  [{ kind: 'platform', service: 'worker' }, 'worker', null],
  [{ kind: 'anonymous' }, null, null],
])('says who did it: %j', async (actor, actorId, ownerId) => {
  const ctx = testCtx(db, { actor });
  await inTx(ctx, (ctx) => audit(ctx, 'agent.delete', { agent: 'agt_9' }, { name: 'nul \0' }));
  const row = await db('audit_log').where({ request_id: ctx.requestId }).first();
  expect(row).toMatchObject({
    actor_kind: actor.kind,
    actor_id: actorId,
    owner_id: ownerId,
    action: 'agent.delete',
    target_type: 'agent',
    target_id: 'agt_9',
    details: { name: 'nul \ufffd' },
  });
});

it('goes with its transaction', async () => {
  const ctx = testCtx(db, { actor: { kind: 'anonymous' } });
  const failing = inTx(ctx, async (ctx) => {
    await audit(ctx, 'agent.delete', { agent: 'x' });
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await db('audit_log').where({ request_id: ctx.requestId })).toEqual([]);
});
