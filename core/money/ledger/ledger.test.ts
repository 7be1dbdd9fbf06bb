// The ledger on a real database: random histories against a model in memory, racing calls, forged rows.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../kernel/ids.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { accountOf, platformAccount } from './accounts.ts';
import { auditLedger } from './audit-ledger.ts';
import { hold, release, releaseExpired, settleHold } from './hold.ts';
import { post, reverse } from './post.ts';

let t: TestContext;
beforeAll(async () => void (t = await testContext()));
afterAll(() => t.close());

const now = Date.now();
const later = now + 60_000;
const refs = {};
const broke = { code: 'insufficient_credits' };

async function wallet(micros = 0): Promise<string> {
  const owner = newId('usr');
  const accountId = await accountOf(t.ctx.db, 'wallet', owner);
  if (micros > 0) await give(accountId, micros, `promotion:${owner}`);
  return accountId;
}
async function give(accountId: string, micros: number, key: string): Promise<boolean> {
  const promotion = await platformAccount(t.ctx.db, 'promotion', key);
  const lines = [{ accountId, micros }, { accountId: promotion, micros: -micros }]; // prettier-ignore
  return post(t.ctx.db, { key, kind: 'promotion', lines, refs, at: now });
}
async function charge(accountId: string, micros: number, key: string) {
  const fees = await platformAccount(t.ctx.db, 'fees', key);
  return { key, kind: 'charge' as const, lines: [{ accountId, micros: -micros }, { accountId: fees, micros }], refs, at: now }; // prettier-ignore
}
const stateOf = async (account_id: string) => {
  const row = await t.ctx.db('ledger_accounts').where({ account_id }).first();
  return { balance: row?.balance_micros, held: row?.held_micros };
};

describe('posting', () => {
  test('happens once for a key, keeps what was before and after, and refuses other entries under the same key', async () => {
    const account = await wallet();
    expect(await give(account, 500, 'once')).toBe(true);
    expect(await give(account, 500, 'once')).toBe(false);
    await expect(give(account, 501, 'once')).rejects.toMatchObject({ constraint: 'ledger_key_reused' });
    await post(t.ctx.db, await charge(account, 200, 'first charge'));
    const entries = await t.ctx.db('ledger_entries').where({ account_id: account }).orderBy('version');
    expect(entries.map(({ version, balance_before, balance_after }) => [version, balance_before, balance_after])).toEqual([[1, 0, 500], [2, 500, 300]]); // prettier-ignore
  });

  test('refuses what does not sum to zero, what no balance covers, and every change of what was written', async () => {
    const account = await wallet(100);
    const fees = await platformAccount(t.ctx.db, 'fees', 'x');
    const unequal = { key: 'unequal', kind: 'charge' as const, lines: [{ accountId: account, micros: -10 }, { accountId: fees, micros: 9 }], refs, at: now }; // prettier-ignore
    await expect(post(t.ctx.db, unequal)).rejects.toMatchObject({ constraint: 'ledger_entries_sum' });
    await expect(post(t.ctx.db, { ...unequal, lines: [] })).rejects.toMatchObject({ constraint: 'ledger_entries_sum' });
    await expect(post(t.ctx.db, await charge(account, 101, 'too much'))).rejects.toMatchObject(broke);
    expect(await t.ctx.db('ledger_transactions').whereIn('key', ['unequal', 'too much'])).toEqual([]);
    for (const table of ['ledger_entries', 'ledger_transactions'] as const) {
      await expect(t.ctx.db(table).del()).rejects.toMatchObject({ code: '23001' });
      await expect(t.ctx.db.raw('update ?? set transaction_id = transaction_id', [table])).rejects.toMatchObject({ code: '23001' });
    }
    expect(await stateOf(account)).toEqual({ balance: 100, held: 0 });
  });

  test('a reversal is the opposite, once, and not of what has been spent', async () => {
    const account = await wallet(100);
    await post(t.ctx.db, await charge(account, 40, 'wrong'));
    const back = { key: 'wrong', refs, at: now };
    expect([await reverse(t.ctx.db, back), await reverse(t.ctx.db, back)]).toEqual([true, false]);
    expect(await stateOf(account)).toEqual({ balance: 100, held: 0 });
    await give(account, 10, 'a gift');
    await post(t.ctx.db, await charge(account, 105, 'spent'));
    await expect(reverse(t.ctx.db, { ...back, key: 'a gift' })).rejects.toMatchObject(broke);
  });
});

describe('holds', () => {
  test('500 calls at once hold no more than the wallet has, and none is charged twice', async () => {
    const account = await wallet(100_000);
    const calls = await Promise.allSettled(
      Array.from({ length: 500 }, async (_, number) => {
        const key = `${account}:${number}`;
        await hold(t.ctx.db, { key, accountId: account, micros: 1_000, at: now, expiresAt: later });
        const posting = await charge(account, 700, `charge:${key}`);
        await Promise.all([settleHold(t.ctx.db, key, posting), settleHold(t.ctx.db, key, posting)]);
      }),
    );
    const refused = calls.flatMap((call) => (call.status === 'rejected' ? [call.reason] : []));
    for (const reason of refused) expect(reason).toMatchObject(broke);
    const charged = 500 - refused.length;
    expect(charged).toBeGreaterThanOrEqual(100);
    expect(await stateOf(account)).toEqual({ balance: 100_000 - charged * 700, held: 0 });
  });

  test('what is held cannot be spent by others, what expired is free again, and its late end is charged where it can be', async () => {
    const account = await wallet(100);
    await hold(t.ctx.db, { key: `${account}:a`, accountId: account, micros: 80, at: now, expiresAt: now + 1 });
    await expect(hold(t.ctx.db, { key: `${account}:b`, accountId: account, micros: 21, at: now, expiresAt: later })).rejects.toMatchObject(broke);
    await expect(post(t.ctx.db, await charge(account, 21, `${account}:c`))).rejects.toMatchObject(broke);
    await releaseExpired({ ...t.ctx, clock: () => now + 2 });
    expect(await stateOf(account)).toEqual({ balance: 100, held: 0 });
    expect(await settleHold(t.ctx.db, `${account}:a`, await charge(account, 80, `${account}:d`))).toBe(true);
    expect(await stateOf(account)).toEqual({ balance: 20, held: 0 });
    await release(t.ctx.db, `${account}:a`, now);
    expect(await stateOf(account)).toEqual({ balance: 20, held: 0 });
  });
});

type Step = { kind: 'give' | 'hold' | 'settle' | 'release' | 'reverse'; who: number; micros: number; which: number };
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('give', 'hold', 'settle', 'release', 'reverse'),
  who: fc.nat(2),
  micros: fc.integer({ min: 1, max: 1_000 }),
  which: fc.nat(9),
});

test('any history leaves every account as a model in memory says, and everything adds up', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const accounts = await Promise.all([wallet(), wallet(), wallet()]);
      const model = accounts.map(() => ({ balance: 0, held: 0 }));
      const holds: { key: string; who: number; micros: number; open: boolean }[] = [];
      const posted: { key: string; who: number; micros: number; reversed: boolean }[] = [];
      for (const [at, { kind, who, micros, which }] of steps.entries()) {
        const [account, its] = [accounts[who], model[who]];
        if (account === undefined || its === undefined) throw new Error('a step names nobody');
        const key = `${account}:${at}`;
        if (kind === 'give') {
          await give(account, micros, key);
          its.balance += micros;
          posted.push({ key, who, micros, reversed: false });
        } else if (kind === 'hold') {
          const work = hold(t.ctx.db, { key, accountId: account, micros, at: now, expiresAt: later });
          if (its.balance - its.held < micros) await expect(work).rejects.toMatchObject(broke);
          else {
            expect(await work).toBe(true);
            its.held += micros;
            holds.push({ key, who, micros, open: true });
          }
        } else if (kind === 'reverse') {
          const one = posted[which];
          const whose = one && model[one.who];
          if (!one || !whose) continue;
          const work = reverse(t.ctx.db, { key: one.key, refs, at: now });
          if (one.reversed) expect(await work).toBe(false);
          else if (whose.balance - whose.held < one.micros) await expect(work).rejects.toMatchObject(broke);
          else {
            expect(await work).toBe(true);
            whose.balance -= one.micros;
            one.reversed = true;
          }
        } else {
          const one = holds[which];
          const whose = one && model[one.who];
          const id = one && accounts[one.who];
          if (!one || !whose || id === undefined) continue;
          const cost = Math.min(micros, one.micros);
          if (kind === 'release') await release(t.ctx.db, one.key, now);
          else expect(await settleHold(t.ctx.db, one.key, await charge(id, cost, `charge:${one.key}`)).catch(() => one.open)).toBe(one.open);
          if (!one.open) continue;
          one.open = false;
          whose.held -= one.micros;
          if (kind === 'settle') whose.balance -= cost;
        }
      }
      expect(await Promise.all(accounts.map(stateOf))).toEqual(model);
    }),
    { numRuns: 15 },
  );
  expect(await auditLedger(t.ctx)).toEqual([]);
});

test('a forged row is found', async () => {
  const [account, other] = [await wallet(100), await wallet(100)];
  await t.ctx.db('ledger_accounts').where({ account_id: account }).update({ balance_micros: 1_000_000 });
  await t.ctx.db('ledger_accounts').where({ account_id: other }).update({ held_micros: 5 });
  const forged = { account_id: other, version: 3, transaction_id: '', amount_micros: 7, balance_before: 100, balance_after: 107 };
  const [{ transaction_id } = { transaction_id: '' }] = await t.ctx.db('ledger_transactions').limit(1).select('transaction_id');
  await t.ctx.db.transaction(async (tx) => {
    await tx.raw('set local session_replication_role = replica');
    await tx('ledger_entries').insert({ ...forged, transaction_id });
  });
  const found = await auditLedger(t.ctx);
  expect(found).toEqual(
    expect.arrayContaining([
      { rule: 'balance_differs', id: account },
      { rule: 'balance_differs', id: other },
      { rule: 'holds_differ', id: other },
      { rule: 'entry_missing', id: other },
      { rule: 'sum_not_zero', id: transaction_id },
    ]),
  );
});
