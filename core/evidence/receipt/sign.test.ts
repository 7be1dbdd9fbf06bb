import { verifyAsync } from '@noble/ed25519';
import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { decodeReceipt, verifyReceipt } from '#contract/wire/receipt.ts';
import { receiptSha256 } from '#contract/crypto/sha256.ts';
import { createPool } from '#db/pool.ts';
import { createVault } from '#drivers/vault/key-file.ts';
import { testDatabase } from '#test/support/servers.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { inTx } from '../../kernel/tx.ts';
import { addAgent, addUser, facts, testCtx } from '#test/support/verbs.ts';
import { keyLifetimeMs, publicKeyOf } from './keys.ts';
import { rotateReceiptKey } from './rotate.ts';
import type { SignedReceipt } from './link.ts';
import { appendReceipt } from './sign.ts';

let db: Knex;
let now: number;
let ctx: Ctx;
const vault = createVault([randomBytes(32)]);
beforeAll(async () => void (db = createPool({ connectionString: (await testDatabase()).url, max: 20 })));
afterAll(() => db.destroy());
beforeEach(async () => {
  now = Date.parse('2026-03-01T12:00:00Z');
  await db.raw('truncate receipt_keys, users cascade');
  ctx = testCtx(db, { vault, clock: () => now, actor: { kind: 'platform', service: 'worker' } });
});

const seal = (agent: { id: string; name: string }, more: Partial<Parameters<typeof facts>[1]> = {}): Promise<SignedReceipt> =>
  inTx(ctx, (ctx) => appendReceipt(ctx, facts(agent, { startedAt: now - 10, endedAt: now, ...more })));

/** What somebody who holds only the published keys can check. */
async function offline(token: string): Promise<boolean> {
  const keys = await db('receipt_keys').select('kid', 'public_key', 'not_before', 'not_after');
  const { payload } = decodeReceipt(token);
  const key = keys.find((k) => k.kid === payload.kid);
  if (!key) return false;
  await verifyReceipt(token, publicKeyOf(key), verifyAsync);
  return key.not_before.getTime() <= Date.parse(payload.ended_at) && Date.parse(payload.ended_at) <= key.not_after.getTime();
}

async function chainOf(agentId: string): Promise<string[]> {
  return (await db('receipts').where({ agent_id: agentId }).orderBy('seq')).map((row) => row.token);
}

/**
 * The check of a chain by hand: every link names the hash of the one before. Resolves with the place of the
 * first break.
 */
function firstBreak(tokens: readonly string[]): number | undefined {
  let previous: string | null = null;
  for (const [at, token] of tokens.entries()) {
    const { payload } = decodeReceipt(token);
    if (payload.seq !== at + 1 || payload.previous_sha256 !== previous) return at;
    previous = receiptSha256(payload);
  }
  return undefined;
}

describe('sealReceipt', () => {
  it('gives a receipt that the published key alone verifies', async () => {
    const agent = await addAgent(db, await addUser(db));
    const sealed = await seal(agent);
    expect(await offline(sealed.token)).toBe(true);
    expect(sealed.payload).toMatchObject({ type: 'svc.receipt.v1', receipt_id: sealed.receipt_id, seq: 1, previous_sha256: null, duration_ms: 10 });
    expect(receiptSha256(sealed.payload)).toBe(sealed.payload_sha256);
    expect(await db('agents').where({ agent_id: agent.id }).first('call_count')).toEqual({ call_count: 1 });
  });

  it('keeps no private key in the open', async () => {
    const agent = await addAgent(db, await addUser(db));
    await seal(agent);
    const { private_sealed } = (await db('receipt_keys').first()) ?? { private_sealed: '' };
    expect(private_sealed).toMatch(/^v1\./);
    const elsewhere = testCtx(db, { vault: createVault([randomBytes(32)]), clock: () => now, actor: ctx.actor });
    await expect(inTx(elsewhere, (ctx) => appendReceipt(ctx, facts(agent, { endedAt: now })))).rejects.toThrow(/sealed value/);
  });

  it('chains 50 concurrent seals without a gap, and two agents without waiting for each other', async () => {
    const owner = await addUser(db);
    const [one, two] = [await addAgent(db, owner), await addAgent(db, owner)];
    await Promise.all(Array.from({ length: 50 }, (_, n) => seal(n % 5 === 0 ? two : one)));
    for (const [agent, count] of [
      [one, 40],
      [two, 10],
    ] as const) {
      const chain = await chainOf(agent.id);
      expect(chain).toHaveLength(count);
      expect(firstBreak(chain)).toBeUndefined();
      expect(await db('agents').where({ agent_id: agent.id }).first('call_count')).toEqual({ call_count: count });
    }
    expect(await db('receipt_keys').count({ n: '*' }).first()).toEqual({ n: 1 });
    await db.transaction(async (holds) => {
      await appendReceipt({ ...ctx, db: holds }, facts(one, { endedAt: now }));
      await seal(two); // would never come back if it waited for the transaction above
    });
  });

  it('leaves no gap when its transaction is rolled back', async () => {
    const agent = await addAgent(db, await addUser(db));
    await expect(
      inTx(ctx, async (ctx) => {
        await appendReceipt(ctx, facts(agent, { endedAt: now }));
        throw new Error('the rest failed');
      }),
    ).rejects.toThrow('the rest failed');
    expect((await seal(agent)).payload.seq).toBe(1);
    expect(await offline((await seal(agent)).token)).toBe(true);
  });

  it('shows forged, altered, reordered and missing links', async () => {
    const agent = await addAgent(db, await addUser(db));
    for (let n = 0; n < 4; n += 1) await seal(agent);
    const [a = '', b = '', c = '', d = ''] = await chainOf(agent.id);
    expect(firstBreak([a, b, c, d])).toBeUndefined();
    expect(firstBreak([a, c, b, d])).toBe(1);
    expect(firstBreak([a, b, d])).toBe(2);
    expect(firstBreak([b, c, d])).toBe(0);
    const [head = '', signature = ''] = b.split('.');
    const altered = Buffer.from(Buffer.from(head, 'base64url').toString().replace('"status":"ok"', '"status":"error"')).toString('base64url');
    await expect(offline(`${altered}.${signature}`)).rejects.toThrow(/signature/);
    await expect(offline(`${head}.${c.split('.')[1]}`)).rejects.toThrow(/signature/);
  });

  it('seals what an agent says, however it says it', async () => {
    const agent = await addAgent(db, await addUser(db));
    const sealed = await seal(agent, { status: 'error', errorCode: `\0\ud800${'x'.repeat(500)}` });
    expect(sealed.payload.error_code).toBe(`\ufffd\ufffd${'x'.repeat(126)}`);
    expect(await offline(sealed.token)).toBe(true);
  });

  it('keeps receipts valid through rotation, and seals with the new key after it', async () => {
    const agent = await addAgent(db, await addUser(db));
    const before = await seal(agent);
    now += 1_000;
    const inFlight = now;
    const { kid } = await rotateReceiptKey(ctx);
    const after = await seal(agent);
    expect(before.payload.kid).not.toBe(kid);
    expect(after.payload.kid).toBe(kid);
    now += keyLifetimeMs / 2;
    const late = await seal(agent, { startedAt: inFlight - 500, endedAt: inFlight - 100 });
    expect(late.payload.kid).toBe(before.payload.kid);
    for (const { token } of [before, after, late]) expect(await offline(token)).toBe(true);
    expect(firstBreak(await chainOf(agent.id))).toBeUndefined();
    expect(await db('audit_log').where({ action: 'receipt_key.rotate', target_id: kid }).first()).toBeDefined();
  });

  it('renews the key when its time has passed, without a gap between the windows', async () => {
    const agent = await addAgent(db, await addUser(db));
    const first = await seal(agent);
    now += keyLifetimeMs + 60_000;
    const second = await seal(agent, { startedAt: now - 59_990, endedAt: now - 59_000 });
    expect(second.payload.kid).not.toBe(first.payload.kid);
    for (const { token } of [first, second]) expect(await offline(token)).toBe(true);
  });

  it('lets only operators and the platform rotate', async () => {
    const user = await addUser(db);
    const plain = testCtx(db, { vault, clock: () => now, actor: { kind: 'user', user_id: user, email: 'a@b.c', operator: false, via: 'bearer' } });
    await expect(rotateReceiptKey(plain)).rejects.toMatchObject({ code: 'operator_required' });
  });
});
