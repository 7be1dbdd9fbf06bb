// Calls of one agent that end at once, in one process and in two, beside transactions that seal too: one
// receipt each, in one chain without gaps.
import type { Knex } from 'knex';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { verifyAsync } from '@noble/ed25519';
import { decodeReceipt, verifyReceipt } from '#contract/wire/receipt.ts';
import { receiptSha256 } from '#contract/crypto/sha256.ts';
import { createPool } from '#db/pool.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent } from '#test/support/runs.ts';
import { testDatabase } from '#test/support/servers.ts';
import { publicKeyOf } from '../../evidence/receipt/keys.ts';
import { rotateReceiptKey } from '../../evidence/receipt/rotate.ts';
import { resolveRoute } from '../../agents/route/resolve.ts';
import { ensureRun } from '../../kernel/ensure-run.ts';
import { inTx } from '../../kernel/tx.ts';
import { failed, succeeded } from '../run/outcome.ts';
import { beginCall } from '#test/support/calls.ts';
import type { Call } from './call.ts';
import { endCall } from './end.ts';
import { endPlainCall } from './end-plain.ts';

let t: TestContext;
/** Another process, with connections of its own. */
let other: Knex;
let ada: TestUser;
let agent: LiveAgent;
beforeAll(async () => {
  const { url } = await testDatabase();
  t = await testContext({ databaseUrl: url });
  other = createPool({ connectionString: url, max: 10 });
  ada = await t.user('ada');
});
afterAll(async () => {
  await other.destroy();
  await t.close();
});
beforeEach(async () => void (agent = await liveAgent(t.ctx, ada.actor.user_id)));

async function begun(): Promise<Call> {
  const route = await resolveRoute(t.ctx, agent.name);
  if (!route) throw new Error('the agent is not live');
  const input = { inputSha256: 'a'.repeat(64), args: () => ({}) };
  return (await beginCall(ada, { route, actor: ada.actor, skill: 'work', grant: undefined, input })).call;
}
const many = (count: number): Promise<Call[]> => Promise.all(Array.from({ length: count }, begun));
const chain = async (): Promise<string[]> =>
  (await t.ctx.db('receipts').where({ agent_id: agent.id }).orderBy('seq').select('token')).map(({ token }) => token);

/** Each names the hash of the one before, and its published key holds its signature. */
async function checked(tokens: readonly string[]): Promise<number> {
  const keys = new Map((await t.ctx.db('receipt_keys')).map((key) => [key.kid, publicKeyOf(key)]));
  let previous: string | null = null;
  for (const [at, token] of tokens.entries()) {
    const { payload } = decodeReceipt(token);
    expect(payload).toMatchObject({ seq: at + 1, previous_sha256: previous });
    await verifyReceipt(token, keys.get(payload.kid) ?? new Uint8Array(), verifyAsync);
    previous = receiptSha256(payload);
  }
  return tokens.length;
}

test('what ends at once is one chain, whichever process ends it and in whatever way', async () => {
  const calls = await many(120);
  const receipts = await Promise.all(
    calls.map((call, n) => {
      const ctx = n % 3 === 0 ? { ...t.ctx, db: other } : t.ctx;
      // Every tenth in a transaction, as runs with rows end.
      if (n % 10 === 5) return inTx(ctx, (ctx) => endCall(ctx, call, succeeded({ n })));
      return endCall(ctx, call, n % 7 === 0 ? failed('http_500') : succeeded({ n }));
    }),
  );
  const tokens = await chain();
  expect(await checked(tokens)).toBe(120);
  expect(new Set(receipts.map((receipt) => receipt?.token))).toEqual(new Set(tokens));
  for (const [n, receipt] of receipts.entries()) {
    const { payload } = decodeReceipt(receipt?.token ?? '');
    expect(payload.status).toBe(n % 10 !== 5 && n % 7 === 0 ? 'error' : 'ok');
    expect(await t.ctx.db('receipts').where({ receipt_id: payload.receipt_id }).first('run_id')).toEqual({ run_id: calls[n]?.run.run_id });
  }
  expect(await t.ctx.db('agents').where({ agent_id: agent.id }).first('call_count')).toEqual({ call_count: 120 });
  expect(await t.ctx.db('open_calls').whereIn('call_id', calls.map(({ callId }) => callId))).toEqual([]); // prettier-ignore
});

test('nothing is written of a call that a sweep has ended, nor of a run with a row', async () => {
  const [swept, withRow, plain] = await many(3);
  if (!swept || !withRow || !plain) throw new Error('no calls');
  await endCall(t.ctx, plain, succeeded(1));
  await t.ctx.db('open_calls').where({ call_id: swept.callId }).update({ receipt_id: 'rcp_of_sweep' });
  await inTx({ ...t.ctx, actor: withRow.run }, (ctx) => ensureRun(ctx));
  for (const call of [swept, withRow]) expect(await endPlainCall(t.ctx, call, succeeded(2))).toBeUndefined();
  expect(await chain()).toHaveLength(1);
  expect(await t.ctx.db('agents').where({ agent_id: agent.id }).first('call_count')).toEqual({ call_count: 1 });
  const both = [swept.callId, withRow.callId];
  expect(await t.ctx.db('open_calls').whereIn('call_id', both).select('call_id')).toHaveLength(2);
  // Its own way is open still, and together with others none is lost.
  const [a, b] = await many(2);
  if (!a || !b) throw new Error('no calls');
  const ended = await Promise.all([a, withRow, b].map((call) => endCall(t.ctx, call, succeeded(3))));
  expect(new Set(ended.map((receipt) => receipt?.receipt_id)).size).toBe(3);
  expect(await checked(await chain())).toBe(4);
  expect(await t.ctx.db('runs').where({ run_id: withRow.run.run_id }).first('state')).toEqual({ state: 'succeeded' });
});

test('a key that was made meanwhile seals the next', async () => {
  const [first, second] = await many(2);
  if (!first || !second) throw new Error('no calls');
  await endCall(t.ctx, first, succeeded(1));
  const { kid } = await rotateReceiptKey({ ...t.ctx, actor: { kind: 'platform', service: 'worker' } });
  await expect.poll(async () => (await t.ctx.db('receipt_keys').where({ kid }).first('not_before'))?.not_before.getTime() ?? Infinity).toBeLessThan(Date.now());
  const sealed = await endPlainCall(t.ctx, second, succeeded(2));
  expect(decodeReceipt(sealed?.token ?? '').payload.kid).toBe(kid);
  expect(await checked(await chain())).toBe(2);
});
