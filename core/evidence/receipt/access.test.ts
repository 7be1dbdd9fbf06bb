import { randomBytes } from 'node:crypto';
import { getPublicKeyAsync, signAsync } from '@noble/ed25519';
import type { Knex } from 'knex';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encodeReceipt, receiptBytes, type ReceiptPayload } from '#contract/wire/receipt.ts';
import { createPool } from '#db/pool.ts';
import { createVault } from '#drivers/vault/key-file.ts';
import { testDatabase } from '#test/support/servers.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { inTx } from '../../kernel/tx.ts';
import { addAgent, addUser, facts, testCtx, type TestAgent, userActor } from '#test/support/verbs.ts';
import { getReceipt } from './get.ts';
import { listReceipts } from './list.ts';
import { publishedKeys } from './published-keys.ts';
import { reportReceipt } from './report.ts';
import type { SignedReceipt } from './link.ts';
import { appendReceipt } from './sign.ts';

let db: Knex;
let vault: ReturnType<typeof createVault>;
beforeAll(async () => void (db = createPool({ connectionString: (await testDatabase()).url })));
afterAll(() => db.destroy());
let owner: string;
let caller: string;
let stranger: string;
beforeEach(async () => {
  vault = createVault([randomBytes(32)]);
  await db.raw('truncate receipt_keys, users cascade');
  [owner, caller, stranger] = [await addUser(db), await addUser(db), await addUser(db)];
});

const as = (userId: string): Ctx => testCtx(db, { vault, actor: userActor(userId) });
const called = (agent: TestAgent, by: string, at = Date.now()): Promise<SignedReceipt> =>
  inTx(as(by), (ctx) => appendReceipt(ctx, facts(agent, { caller: { kind: 'user', id: by, userId: by }, startedAt: at, endedAt: at })));
/** Sealed by one of the platform's keys, but not stored here. */
async function elsewhere(change: Partial<ReceiptPayload>, agent: TestAgent): Promise<string> {
  const { payload } = await called(agent, caller);
  const row = await db('receipt_keys').where({ kid: payload.kid }).first();
  const key = await vault.open(row?.private_sealed ?? '', `receipt-key/${payload.kid}`);
  const bytes = receiptBytes({ ...payload, receipt_id: newId('rcp'), ...change });
  return encodeReceipt(bytes, await signAsync(bytes, key));
}

describe('reading receipts', () => {
  it('shows the owner all of them, a caller its own, and others not even that the agent is there', async () => {
    const agent = await addAgent(db, owner);
    const mine = await called(agent, owner);
    const theirs = await called(agent, caller);
    const ids = async (userId: string) => (await listReceipts(as(userId), { name: agent.name, limit: 20 })).items.map((r) => r.receipt_id);
    expect(await ids(owner)).toEqual([theirs.receipt_id, mine.receipt_id]);
    expect(await ids(caller)).toEqual([theirs.receipt_id]);
    await expect(ids(stranger)).rejects.toMatchObject({ code: 'agent_not_found' });
    expect((await getReceipt(as(caller), { name: agent.name, receipt_id: theirs.receipt_id })).token).toBe(theirs.token);
    await expect(getReceipt(as(caller), { name: agent.name, receipt_id: mine.receipt_id })).rejects.toMatchObject({ code: 'receipt_not_found' });
    await expect(getReceipt(as(stranger), { name: agent.name, receipt_id: theirs.receipt_id })).rejects.toMatchObject({ code: 'receipt_not_found' });
    const other = await addAgent(db, owner);
    await expect(getReceipt(as(owner), { name: other.name, receipt_id: mine.receipt_id })).rejects.toMatchObject({ code: 'receipt_not_found' });
  });

  it('shows an empty list of a listed agent to who has not called it', async () => {
    const agent = await addAgent(db, owner, { visibility: 'public', live: true });
    await called(agent, caller);
    expect(await listReceipts(as(stranger), { name: agent.name, limit: 20 })).toEqual({ items: [], next_cursor: null });
  });

  it('pages through receipts of one instant without losing or repeating any', async () => {
    const agent = await addAgent(db, owner);
    const sealed = await inTx(as(owner), async (ctx) => {
      const all = [];
      for (let n = 0; n < 7; n += 1) all.push(await appendReceipt(ctx, facts(agent)));
      return all;
    });
    await db('receipts').update({ created_at: '2026-01-01T00:00:00.123456Z' });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listReceipts(as(owner), { name: agent.name, limit: 3, cursor });
      seen.push(...page.items.map((r) => r.receipt_id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(
      sealed
        .map((r) => r.receipt_id)
        .toSorted()
        .reverse(),
    );
    await expect(listReceipts(as(owner), { name: agent.name, limit: 3, cursor: 'junk' })).rejects.toMatchObject({ code: 'bad_cursor' });
  });
});

describe('handing in a receipt', () => {
  it('stores what a published key sealed, once', async () => {
    const agent = await addAgent(db, owner);
    const token = await elsewhere({}, agent);
    const stored = await reportReceipt(as(owner), { name: agent.name, token: `${token}\n` });
    expect(stored).toMatchObject({ source: 'self', agent: agent.name, token });
    expect(await reportReceipt(as(owner), { name: agent.name, token })).toEqual(stored);
    const row = await db('receipts').where({ receipt_id: stored.receipt_id }).first();
    expect(row).toMatchObject({ seq: null, caller_user_id: caller });
    expect(await db('audit_log').where({ action: 'receipt.report' })).toHaveLength(1);
    expect((await getReceipt(as(caller), { name: agent.name, receipt_id: stored.receipt_id })).source).toBe('self');
  });

  it('answers with what is stored when the platform itself sealed it, and refuses another under the same id', async () => {
    const agent = await addAgent(db, owner);
    const sealed = await called(agent, caller);
    expect(await reportReceipt(as(owner), { name: agent.name, token: sealed.token })).toMatchObject({ source: 'platform', receipt_id: sealed.receipt_id });
    const twin = await elsewhere({ receipt_id: sealed.receipt_id, skill: 'other' }, agent);
    await expect(reportReceipt(as(owner), { name: agent.name, token: twin })).rejects.toMatchObject({ code: 'receipt_exists' });
  });

  it('refuses forged, altered, foreign and untimely ones', async () => {
    const agent = await addAgent(db, owner);
    const other = await addAgent(db, owner);
    const report = async (token: string) => reportReceipt(as(owner), { name: agent.name, token });
    const good = await elsewhere({}, agent);
    const [head = '', signature = ''] = good.split('.');
    const { payload } = await called(agent, caller);
    const forgersKey = randomBytes(32);
    const forged = receiptBytes({ ...payload, receipt_id: newId('rcp') });
    await expect(report(encodeReceipt(forged, await signAsync(forged, forgersKey)))).rejects.toMatchObject({ code: 'receipt_invalid' });
    await expect(report(`${head}.${signature.slice(0, -4)}AAAA`)).rejects.toMatchObject({ code: 'receipt_invalid' });
    await expect(report('not.a.receipt')).rejects.toMatchObject({ code: 'receipt_invalid' });
    await expect(report(await elsewhere({ kid: 'key_unknown' }, agent))).rejects.toMatchObject({ code: 'receipt_key_unknown' });
    await expect(report(await elsewhere({ ended_at: '2020-01-01T00:00:00.000Z' }, agent))).rejects.toMatchObject({ code: 'receipt_outside_key' });
    await expect(report(await elsewhere({}, other))).rejects.toMatchObject({ code: 'receipt_other_agent' });
    expect(await db('receipts').where({ source: 'self' })).toEqual([]);
  });

  it("is only the owner's", async () => {
    const hidden = await addAgent(db, owner);
    const listed = await addAgent(db, owner, { visibility: 'public', live: true });
    await expect(reportReceipt(as(stranger), { name: hidden.name, token: await elsewhere({}, hidden) })).rejects.toMatchObject({ code: 'agent_not_found' });
    await expect(reportReceipt(as(stranger), { name: listed.name, token: await elsewhere({}, listed) })).rejects.toMatchObject({ code: 'not_your_agent' });
  });

  it('is one row when it comes ten times at once', async () => {
    const agent = await addAgent(db, owner);
    const token = await elsewhere({}, agent);
    await Promise.all(Array.from({ length: 10 }, () => reportReceipt(as(owner), { name: agent.name, token })));
    expect(await db('receipts').where({ source: 'self' })).toHaveLength(1);
  });
});

describe('published keys', () => {
  it('are all there, without their private half, and say which is current', async () => {
    const agent = await addAgent(db, owner);
    await called(agent, owner, Date.now() - 40 * 24 * 3_600_000);
    await db('receipt_keys').update({ not_after: new Date(Date.now() - 30 * 24 * 3_600_000) });
    await called(agent, owner);
    const { keys } = await publishedKeys(as(stranger));
    expect(keys.map((key) => key.current)).toEqual([true, false]);
    expect(Object.keys(keys[0] ?? {}).toSorted()).toEqual(['alg', 'current', 'kid', 'not_after', 'not_before', 'public_key']);
    expect(Buffer.from(keys[0]?.public_key ?? '', 'base64')).toHaveLength(32);
    expect(
      await getPublicKeyAsync(
        await vault.open(
          (
            await db('receipt_keys')
              .where({ kid: keys[0]?.kid ?? '' })
              .first()
          )?.private_sealed ?? '',
          `receipt-key/${keys[0]?.kid}`,
        ),
      ),
    ).toEqual(new Uint8Array(Buffer.from(keys[0]?.public_key ?? '', 'base64')));
  });
});
