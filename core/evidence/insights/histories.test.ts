// Random lives of an agent: whatever was counted when, an account purged meanwhile and charges settled late,
// any window says what the receipts themselves say.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LATENCY_BOUNDS_MS } from '#contract/evidence/latency.ts';
import { CALLER_RELATIONS, type CallerRelation, RECEIPT_STATUSES } from '#contract/states.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { addAgent } from '#test/support/verbs.ts';
import { PURGE_STEPS } from '../../platform/purge/plan.ts';
import { callInsights } from './calls.ts';
import { countCalls } from './count-calls.ts';
import { countEarned } from './count-earned.ts';
import { payoutInsights } from './payouts.ts';

let t: TestContext;
let ada: TestUser;
beforeAll(async () => {
  t = await testContext();
  ada = await t.user('ada');
});
afterAll(() => t.close());

const START = Date.parse('2026-08-29T00:00:00Z');
const DAY = 86_400_000;
const LENGTH = 75 * DAY;
const HOUR = 3_600_000;

/** Windows often end in hours of which some calls are in and some are not. */
const edge = fc
  .record({ day: fc.constantFrom(3, 20.4, 33, 50.7), off: fc.integer({ min: -HOUR, max: HOUR }) })
  .map(({ day, off }) => Math.round(day * DAY) + off);

const call = fc.record({
  // Also at the very ends of hours, days and months.
  at: fc.oneof(
    edge,
    fc.nat(LENGTH - 1),
    fc.nat(LENGTH / HOUR - 1).map((hour) => hour * HOUR),
    fc.nat(LENGTH / DAY - 1).map((day) => (day + 1) * DAY - 1),
  ),
  skill: fc.constantFrom('greet', 'count', 'never-works'),
  version: fc.constantFrom('1.0.0', '1.1.0'),
  status: fc.constantFrom(...RECEIPT_STATUSES),
  code: fc.constantFrom('agent_timeout', 'bad_input', 'skill_failed'),
  caller: fc.constantFrom('ada', 'ben', 'cleo', null),
  ms: fc.oneof(fc.nat(50), fc.nat(5_000), fc.nat(100_000_000)),
  /** Micro-credits; null: it is free. */
  paid: fc.option(fc.nat(1_000_000)),
});
type Of<A> = A extends fc.Arbitrary<infer T> ? T : never;
type Call = Of<typeof call>;

const step = fc.oneof(
  { weight: 4, arbitrary: fc.array(call, { minLength: 20, maxLength: 40 }).map((calls) => ({ do: 'call' as const, calls })) },
  { weight: 2, arbitrary: fc.constant({ do: 'count calls' as const }) },
  { weight: 2, arbitrary: fc.constant({ do: 'count earned' as const }) },
  { weight: 3, arbitrary: fc.constant({ do: 'settle' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'purge ben' as const }) },
);
const window = fc.record({
  from: fc.oneof(
    edge,
    fc.nat(LENGTH),
    fc.nat(LENGTH / HOUR).map((hour) => hour * HOUR),
  ),
  length: fc.oneof(
    fc.integer({ min: 1, max: HOUR }),
    fc.integer({ min: 1, max: 3 * HOUR }),
    fc.integer({ min: 1, max: 30 * DAY }),
    fc.integer({ min: DAY, max: LENGTH }),
  ),
  bucket: fc.constantFrom('hour', 'day', 'month'),
  by: fc.constantFrom('skill', 'version', 'caller'),
});

test('any window of any history is exact in calls and money, and percentiles are in the bucket of the true ones', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), fc.array(window, { minLength: 4, maxLength: 4 }), async (steps, windows) => {
      const life = await born();
      for (const one of steps) await live(life, one);
      for (const one of windows) await expectTruth(life, one);
    }),
    { numRuns: 25 },
  );
});

interface Life {
  agent: { id: string; name: string };
  users: Record<'ada' | 'ben' | 'cleo', string>;
  calls: Call[];
  /** How many of the calls have charges that are settled. */
  settled: number;
}

async function born(): Promise<Life> {
  const agent = await addAgent(t.ctx.db, ada.actor.user_id, { live: true });
  await t.ctx
    .db('agents')
    .where({ agent_id: agent.id })
    .update({ skills: ['greet', 'count', 'never-works'] });
  const userId = async (name: string): Promise<string> => (await t.user(`${name}-${agent.id}`)).actor.user_id;
  return { agent, users: { ada: ada.actor.user_id, ben: await userId('ben'), cleo: await userId('cleo') }, calls: [], settled: 0 };
}

async function live(life: Life, one: Of<typeof step>): Promise<void> {
  if (one.do === 'call') return store(life, one.calls);
  if (one.do === 'count calls') return countCalls(t.ctx);
  if (one.do === 'count earned') return countEarned(t.ctx);
  if (one.do === 'purge ben') {
    const purge = PURGE_STEPS.find(({ table, set }) => table === 'receipts' && set?.includes('caller_user_id'));
    if (!purge) throw new Error('a purge does nothing with receipts that somebody else keeps');
    await t.ctx.db.raw(`update receipts t set ${purge.set} where ${purge.where}`, { user: life.users.ben });
    return;
  }
  const { id } = life.agent;
  await t.ctx.db.raw(
    `update charges set state = 'settled', amount_micros = held_micros, creator_micros = held_micros, fee_micros = 0, ended_at = now() where agent_id = ? and state = 'held'`,
    [id],
  );
  life.settled = life.calls.length;
}

async function store({ agent, users, calls }: Life, more: readonly Call[]): Promise<void> {
  const rows = more.map((one, n) => ({
    ...one,
    seq: calls.length + n + 1,
    at: new Date(START + one.at),
    user: one.caller === null ? null : users[one.caller],
  }));
  await t.ctx.db('receipts').insert(
    rows.map(({ seq, at, skill, version, status, code, user, ms }) => ({
      receipt_id: `rcp_${agent.id}_${seq}`,
      agent_id: agent.id,
      seq,
      source: 'platform' as const,
      kid: 'key_none',
      token: 'token',
      payload: JSON.stringify({ agent: { version }, ...(status === 'error' && { error_code: code }) }),
      payload_sha256: '0'.repeat(64),
      skill,
      status,
      caller_kind: 'user',
      caller_user_id: user,
      started_at: at,
      ended_at: at,
      duration_ms: ms,
      created_at: at,
    })),
  );
  const charges = rows.flatMap(({ seq, at, skill, paid }) => (paid === null ? [] : [{ charge_id: `chg_${agent.id}_${seq}`, run_id: `run_${agent.id}_${seq}`, receipt_id: `rcp_${agent.id}_${seq}`, agent_id: agent.id, skill, price_id: 'prc_1', creator_id: users.ada, payer_id: users.ben, state: 'held' as const, free: false, held_micros: paid, started_at: at }])); // prettier-ignore
  if (charges.length > 0) await t.ctx.db('charges').insert(charges);
  calls.push(...more);
  await t.ctx.db('receipt_chains').insert({ agent_id: agent.id, seq: calls.length, head_sha256: '0'.repeat(64) }).onConflict('agent_id').merge(); // prettier-ignore
}

const relationOf = ({ caller }: Call): CallerRelation => (caller === null ? 'none' : caller === 'ada' ? 'owner' : 'other');
const KEYS = { skill: (one: Call) => one.skill, version: (one: Call) => one.version, caller: relationOf };
const countsOf = (calls: readonly Call[]) => ({
  calls: calls.length,
  ok: calls.filter(({ status }) => status === 'ok').length,
  failed: calls.filter(({ status }) => status === 'error').length,
  cancelled: calls.filter(({ status }) => status === 'cancelled').length,
});
const byKey = (calls: readonly Call[], keyOf: (one: Call) => string) => new Map([...Map.groupBy(calls, keyOf)].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, some]) => [key, countsOf(some)])); // prettier-ignore

async function expectTruth(life: Life, { from: since, length, bucket, by }: Of<typeof window>): Promise<void> {
  const [from, to] = [START + since, START + since + length];
  const of = { name: life.agent.name, from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const within = life.calls.map((one, n) => ({ ...one, n })).filter(({ at }) => START + at >= from && START + at < to);
  // As many buckets as there may be.
  const found = await callInsights(ada, { ...of, bucket: length > 30 * DAY && bucket === 'hour' ? 'day' : bucket, by });
  expect(found.totals).toMatchObject({
    ...countsOf(within),
    mean_ms: within.length === 0 ? null : Math.round(within.reduce((sum, { ms }) => sum + ms, 0) / within.length),
  });
  for (const [key, percent] of [['p50_ms', 50], ['p90_ms', 90], ['p95_ms', 95], ['p99_ms', 99]] as const) expectNear(found.totals[key], within, percent); // prettier-ignore
  const digits = { hour: 13, day: 10, month: 7 }[found.bucket];
  const at = (time: string): string => new Date(time).toISOString().slice(0, digits);
  expect(new Map(found.series.map(({ at: time, calls, ok, failed, cancelled }) => [at(time), { calls, ok, failed, cancelled }]))).toEqual(
    byKey(within, (one) => new Date(START + one.at).toISOString().slice(0, digits)),
  );
  expect(found.groups.length).toBe(new Set(within.map(KEYS[by])).size);
  for (const { key, calls, ok, failed, cancelled, p50_ms } of found.groups) {
    const some = within.filter((one) => KEYS[by](one) === key);
    expect({ key, calls, ok, failed, cancelled }).toEqual({ key, ...countsOf(some) });
    expectNear(p50_ms, some, 50);
  }
  const failed = byKey(within.filter(({ status }) => status === 'error'), ({ code }) => code); // prettier-ignore
  expect(new Map(found.failures.map(({ code, calls }) => [code, calls]))).toEqual(new Map([...failed].map(([code, { calls }]) => [code, calls])));
  expect(found.callers).toEqual(
    Object.fromEntries(CALLER_RELATIONS.map((relation) => [relation, within.filter((one) => relationOf(one) === relation).length])),
  );
  const paid = within.filter(({ n }) => n < life.settled).reduce((sum, one) => sum + (one.paid ?? 0), 0);
  expect(found.earned_micros).toBe(paid);
  const payouts = await payoutInsights(ada, of);
  expect(payouts.qualifying).toBe(within.filter((one) => relationOf(one) === 'other' && one.status === 'ok').length);
  expect(payouts.amount_micros ?? 0).toBe(paid);
}

/** A fifth, and a half for what is written as whole milliseconds. */
function expectNear(said: number | null, calls: readonly Call[], percent: number): void {
  const sorted = calls.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const truth = sorted[Math.ceil((percent / 100) * sorted.length) - 1];
  if (truth === undefined) return expect(said).toBeNull();
  const most = LATENCY_BOUNDS_MS.at(-1) ?? 0;
  expect(Math.abs((said ?? Number.NaN) - Math.min(truth, most))).toBeLessThanOrEqual(Math.max(1, 0.2 * Math.min(truth, most)) + 0.5);
}
