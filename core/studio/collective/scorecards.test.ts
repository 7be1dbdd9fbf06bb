// Scorecards that grow by steps come to what one computed from all receipts comes to, for any history.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decay } from '#contract/studio/scorecard.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { type LiveAgent, liveAgent } from '#test/support/runs.ts';
import { newId } from '../../kernel/ids.ts';
import { CALLERS_FAULTS, countScorecards } from './count-scorecards.ts';

let t: TestContext;
let agents: LiveAgent[];
let accounts: string[];
beforeAll(async () => {
  t = await testContext();
  accounts = [];
  for (const name of ['ada', 'ben']) accounts.push((await t.user(name)).actor.user_id);
  agents = [];
  for (let n = 0; n < 2; n += 1) agents.push(await liveAgent(t.ctx, accounts[0] ?? '', {}));
});
afterAll(() => t.close());

const DAY_MS = 86_400_000;
const call = fc.record({
  agent: fc.nat(1),
  account: fc.option(fc.nat(1), { nil: undefined }),
  status: fc.constantFrom('ok', 'ok', 'error', 'cancelled'),
  code: fc.constantFrom('failed', ...CALLERS_FAULTS),
  /** It may have ended long before it was sealed. */
  daysAgo: fc.double({ min: 0, max: 400, noNaN: true }),
  isCounted: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
});
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

let sealed = 0;
let now = Date.parse('2026-11-01T00:00:00Z');

async function seal(calls: readonly Call[]): Promise<void> {
  if (calls.length === 0) return;
  await t.ctx.db('receipts').insert(
    calls.map(({ agent, account, status, code, daysAgo }) => {
      const ended = new Date(now - daysAgo * DAY_MS);
      const at = { started_at: ended, ended_at: ended, duration_ms: 1, created_at: new Date(now) };
      const caller = account === undefined ? { caller_kind: 'anonymous' } : { caller_kind: 'user', caller_user_id: accounts[account] ?? '' };
      const payload = JSON.stringify(status === 'error' ? { error_code: code } : {});
      const of = { receipt_id: newId('rcp', now), agent_id: agents[agent]?.id ?? '', seq: (sealed += 1), source: 'platform' as const, skill: 'work' };
      return {
        ...of,
        ...at,
        ...caller,
        status: status as 'ok' | 'error' | 'cancelled',
        kid: 'k',
        token: `token-${sealed}`,
        payload,
        payload_sha256: '0'.repeat(64),
      };
    }),
  );
}

/** At the moment that the scorecard holds for. */
function fromScratch(calls: readonly (Call & { sealedAt: number })[], asOf: number): { calls: number; good: number; bad: number } {
  const counted = calls.filter(({ status, code }) => status !== 'cancelled' && !(status === 'error' && CALLERS_FAULTS.includes(code)));
  const sum = (ok: boolean): number =>
    counted.filter(({ status }) => (status === 'ok') === ok).reduce((all, { daysAgo, sealedAt }) => all + decay(asOf - (sealedAt - daysAgo * DAY_MS)), 0);
  return { calls: counted.length, good: sum(true), bad: sum(false) };
}

test('whatever is counted when, in however many steps, each receipt counts once, as much as its age leaves of it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 40 }), async (history) => {
      await t.ctx.db('scorecards').delete();
      now += DAY_MS;
      const counted: (Call & { sealedAt: number })[] = [];
      let waiting: Call[] = [];
      const sealThem = async (): Promise<void> => {
        // Sealed after all that was counted.
        now += 300_000;
        await seal(waiting);
        counted.push(...waiting.map((one) => ({ ...one, sealedAt: now })));
        waiting = [];
      };
      const count = (): Promise<number> => countScorecards({ ...t.ctx, clock: () => now + 120_000 });
      for (const one of history) {
        waiting.push(one);
        if (!one.isCounted) continue;
        await sealThem();
        await count();
      }
      await sealThem();
      await Promise.all([count(), count()]);
      await count();
      const cards = await t.ctx.db('scorecards');
      for (const [account, account_id] of accounts.entries()) {
        for (const [agent, { id }] of agents.entries()) {
          const mine = counted.filter((one) => one.account === account && one.agent === agent);
          const card = cards.find((one) => one.account_id === account_id && one.agent_id === id);
          const expected = fromScratch(mine, card?.as_of.getTime() ?? now);
          expect(card?.calls ?? 0).toBe(expected.calls);
          expect(card?.good ?? 0).toBeCloseTo(expected.good, 6);
          expect(card?.bad ?? 0).toBeCloseTo(expected.bad, 6);
        }
      }
    }),
    { numRuns: 12, endOnFailure: true },
  );
});
