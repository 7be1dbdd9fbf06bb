// Counting and reading on a real database: what is counted, what is not yet, and what is read from the
// receipts themselves come to the same.
import { newId } from '../../kernel/ids.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { InstanceStatus } from '#drivers/runtime/port.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { addAgent, type TestAgent } from '#test/support/verbs.ts';
import { fillReceipts } from '../test/fill.ts';
import { callInsights } from './calls.ts';
import { countCalls } from './count-calls.ts';
import { countModelUse } from './count-model-use.ts';
import { countWakes } from './count-wakes.ts';
import { payoutInsights } from './payouts.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
let agent: TestAgent;
beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
});
afterAll(() => t.close());
beforeEach(async () => void (agent = await addAgent(t.ctx.db, ada.actor.user_id, { live: true, visibility: 'public' })));

const UNTIL = '2026-11-20T12:34:56Z';
const fill = (count: number, until = UNTIL, more: { skills?: string[]; everySeconds?: number } = {}) =>
  fillReceipts(t.ctx.db, {
    agentId: agent.id,
    deployId: null,
    callers: [ada.actor.user_id, ben.actor.user_id, null],
    count,
    everySeconds: 611,
    until,
    ...more,
  });

/** What the receipts say, without any count. */
async function truth(from: string, to: string) {
  const { rows } = await t.ctx.db.raw<{ rows: [{ calls: number; ok: number; failed: number; cancelled: number; mean_ms: number | null }] }>(
    `select count(*)::int as calls, (count(*) filter (where status = 'ok'))::int as ok, (count(*) filter (where status = 'error'))::int as failed,
            (count(*) filter (where status = 'cancelled'))::int as cancelled, round(avg(duration_ms))::int as mean_ms
     from receipts where agent_id = :agent and created_at >= :from and created_at < :to`,
    { agent: agent.id, from, to },
  );
  return rows[0];
}

const WINDOWS = [
  ['2026-11-14T00:00:00Z', '2026-11-21T00:00:00Z'],
  ['2026-11-15T07:13:01Z', '2026-11-19T23:59:59Z'],
  ['2026-11-20T11:10:00Z', '2026-11-20T11:50:00Z'],
  ['2026-11-20T11:50:00Z', '2026-11-20T12:10:00Z'],
  ['2020-01-01T00:00:00Z', '2026-11-20T12:34:56Z'],
  ['2027-01-01T00:00:00Z', '2027-01-02T00:00:00Z'],
] as const;

async function expectTruth(): Promise<void> {
  for (const [from, to] of WINDOWS) {
    const wanted = await truth(from, to);
    const { totals, series, callers } = await callInsights(ada, { name: agent.name, from, to });
    expect(totals, `${from} ${to}`).toMatchObject(wanted);
    expect(series.reduce((sum, { calls }) => sum + calls, 0)).toBe(wanted.calls);
    expect(callers.owner + callers.other + callers.none).toBe(wanted.calls);
  }
}

describe('calls', () => {
  test('any window is exact, whether nothing is counted, a part, or all', async () => {
    await fill(500);
    await expectTruth();
    await countCalls(t.ctx);
    await expectTruth();
    await fill(300, '2026-11-20T13:00:00Z');
    await expectTruth();
    await countCalls(t.ctx);
    await expectTruth();
  });

  test('two workers at once, and a worker that dies before it commits, count each receipt once', async () => {
    await fill(400);
    const dies = new Error('the process is gone');
    const dying = t.ctx.db.transaction(async (tx) => {
      await countCalls({ ...t.ctx, db: tx });
      throw dies;
    });
    await expect(dying).rejects.toBe(dies);
    expect(await t.ctx.db('call_sums').where({ agent_id: agent.id })).toEqual([]);
    await Promise.all([countCalls(t.ctx), countCalls(t.ctx), countCalls(t.ctx)]);
    await countCalls(t.ctx);
    const { rows } = await t.ctx.db.raw<{ rows: { sum: number }[] }>(
      `select sum(calls)::int from call_sums where agent_id = :id and facet <> 'code' group by grain, facet`,
      { id: agent.id },
    );
    expect(rows.map(({ sum }) => sum)).toEqual(Array.from({ length: 15 }, () => 400));
    await expectTruth();
  });

  test('failures are by cause, groups by what is asked, and percentiles near the true ones', async () => {
    await fill(1_000, UNTIL, { skills: ['greet', 'count'] });
    await countCalls(t.ctx);
    const of = { name: agent.name, from: '2026-11-01T00:00:00Z', to: '2026-11-21T00:00:00Z' };
    const bySkill = await callInsights(ada, { ...of, by: 'skill' });
    expect(bySkill.groups.map(({ key, calls }) => [key, calls])).toEqual([
      ['count', 500],
      ['greet', 500],
    ]);
    expect(bySkill.failures.map(({ code }) => code).toSorted()).toEqual(['agent_timeout', 'bad_input', 'skill_timeout']);
    expect(bySkill.failures.reduce((sum, { calls }) => sum + calls, 0)).toBe(bySkill.totals.failed);
    const { rows } = await t.ctx.db.raw<{ rows: [{ p50: number; p95: number }] }>(
      `select percentile_cont(0.5) within group (order by duration_ms) as p50, percentile_cont(0.95) within group (order by duration_ms) as p95 from receipts where agent_id = ?`,
      [agent.id],
    );
    expect(Math.abs((bySkill.totals.p50_ms ?? 0) - rows[0].p50)).toBeLessThanOrEqual(rows[0].p50 * 0.2 + 1);
    expect(Math.abs((bySkill.totals.p95_ms ?? 0) - rows[0].p95)).toBeLessThanOrEqual(rows[0].p95 * 0.2 + 1);
    expect((await callInsights(ada, { ...of, by: 'version' })).groups.map(({ key }) => key).toSorted()).toEqual(['1.0.0', '1.1.0']);
    expect((await callInsights(ada, { ...of, by: 'caller' })).groups.map(({ key }) => key).toSorted()).toEqual(['none', 'other', 'owner']);
  });

  test('a year is read from sums of months and days, and comes to the same by every question', async () => {
    const year = { name: agent.name, from: '2025-12-11T05:30:00Z', to: '2026-11-20T12:00:00Z' };
    await fill(500, UNTIL, { skills: ['greet', 'count'], everySeconds: 60_000 });
    const before = await callInsights(ada, { ...year, by: 'version' });
    const payouts = await payoutInsights(ada, year);
    await countCalls(t.ctx);
    expect(before.totals).toMatchObject(await truth(year.from, year.to));
    const after = await callInsights(ada, { ...year, by: 'version' });
    expect(after).toMatchObject({ ...before, bucket: 'month' });
    expect(after.series.length).toBe(12);
    expect(await payoutInsights(ada, year)).toEqual(payouts);
    for (const by of ['skill', 'caller'] as const) {
      const { groups, totals } = await callInsights(ada, { ...year, by });
      expect(groups.reduce((sum, one) => sum + one.calls, 0)).toBe(totals.calls);
    }
    expect(after.failures.reduce((sum, one) => sum + one.calls, 0)).toBe(after.totals.failed);
  });

  test('sums that are gone are counted again from the receipts, to the same', async () => {
    await fill(500, UNTIL, { skills: ['greet', 'count'], everySeconds: 20_000 });
    await countCalls(t.ctx);
    const sums = () => t.ctx.db('call_sums').where({ agent_id: agent.id }).orderBy(['facet', 'grain', 'since', 'word', 'relation', 'status']);
    const counted = await sums();
    expect(counted.length).toBeGreaterThan(0);
    await t.ctx.db('call_count_places').where({ agent_id: agent.id }).delete();
    await t.ctx.db('call_sums').where({ agent_id: agent.id }).delete();
    await countCalls(t.ctx);
    expect(await sums()).toEqual(counted);
  });

  test("an agent's invented codes and its callers' invented skills are not counted by name", async () => {
    await fill(300);
    await t.ctx
      .db('receipts')
      .where({ agent_id: agent.id, status: 'error' })
      .update({ skill: t.ctx.db.raw(`'no-such-skill-' || seq`), payload: t.ctx.db.raw(`jsonb_set(payload, '{error_code}', to_jsonb('code-' || seq))`) });
    await fill(700);
    await t.ctx
      .db('receipts')
      .where({ agent_id: agent.id, status: 'error' })
      .update({ payload: t.ctx.db.raw(`jsonb_set(payload, '{error_code}', to_jsonb('code-' || seq))`) });
    await countCalls(t.ctx);
    const { failures, groups, totals } = await callInsights(ada, { name: agent.name, from: '2020-01-01T00:00:00Z', by: 'skill' });
    expect(failures).toHaveLength(51);
    expect(failures[0]).toMatchObject({ code: 'other' });
    expect(failures.reduce((sum, { calls }) => sum + calls, 0)).toBe(totals.failed);
    expect(groups.map(({ key }) => key).toSorted()).toEqual(['greet', 'other']);
  });

  test('they are only for the owner, also where the agent is public; a window has to be one', async () => {
    await expect(callInsights(ben, { name: agent.name })).rejects.toMatchObject({ code: 'agent_not_found' });
    await expect(payoutInsights(ben, { name: agent.name })).rejects.toMatchObject({ code: 'agent_not_found' });
    await expect(callInsights(ada, { name: agent.name, from: UNTIL, to: UNTIL })).rejects.toMatchObject({ code: 'bad_window' });
  });

  test('of a deleted agent nothing is counted any more', async () => {
    await fill(10);
    await t.ctx.db('agents').where({ agent_id: agent.id }).update({ deleted_at: new Date() });
    await countCalls(t.ctx);
    expect(await t.ctx.db('call_sums').where({ agent_id: agent.id })).toEqual([]);
  });
});

describe('models', () => {
  const use = (user: TestUser, more: { cost?: number | null; ended?: boolean; at?: string } = {}) =>
    t.ctx.db('llm_usage').insert({
      usage_id: `llu_${Math.random()}`,
      user_id: user.actor.user_id,
      credential_id: 'llc_1',
      credential: 'work',
      provider: 'openai',
      model: 'small',
      purpose: 'skill',
      agent_name: agent.name,
      state: more.ended === false ? 'running' : 'ok',
      input_tokens: 10,
      cached_input_tokens: 4,
      output_tokens: 5,
      estimated: false,
      reserved_micros: 0,
      cost_micros: more.cost === undefined ? 7 : more.cost,
      day: '2026-11-20',
      started_at: more.at ?? '2026-11-20T10:10:00Z',
      ended_at: more.ended === false ? null : '2026-11-20T10:10:01Z',
      cap_ids: [],
    });
  const models = async () => (await callInsights(ada, { name: agent.name, from: '2026-11-20T09:30:00Z', to: '2026-11-20T12:30:00Z' })).models;

  test('each use is counted once when it has ended; what callers pay shows as tokens alone', async () => {
    await Promise.all([use(ada), use(ada, { at: '2026-11-20T12:10:00Z' }), use(ben, { cost: null }), use(ada, { ended: false })]);
    const wanted = [{ model: 'small', uses: 3, input_tokens: 30, cached_input_tokens: 12, output_tokens: 15, cost_micros: 14, paid_by_callers: 1 }];
    expect(await models()).toEqual(wanted);
    await Promise.all([countModelUse(t.ctx), countModelUse(t.ctx)]);
    await countModelUse(t.ctx);
    expect(await models()).toEqual(wanted);
    await t.ctx.db('llm_usage').where({ state: 'running' }).update({ state: 'ok', ended_at: new Date() });
    await countModelUse(t.ctx);
    expect(await models()).toMatchObject([{ uses: 4, cost_micros: 21 }]);
  });

  test('where a price is not known there is no cost, not a cost of nothing', async () => {
    await Promise.all([use(ada), use(ada, { cost: null })]);
    const insights = await callInsights(ada, { name: agent.name, from: '2026-11-20T09:30:00Z', to: '2026-11-20T12:30:00Z' });
    expect([insights.cost_micros, insights.models[0]?.cost_micros]).toEqual([null, null]);
  });
});

describe('wakes', () => {
  test('are counted once, however often the host says them', async () => {
    const [deployment] = await t.ctx.db('deployments').where({ agent_id: agent.id }).select('deploy_id');
    const instance_id = `ins_${agent.id.slice(4)}`;
    await t.ctx
      .db('instances')
      .insert({ instance_id, deploy_id: deployment?.deploy_id ?? '', agent_id: agent.id, node: 'node-1', state: 'serving', api_key_sealed: 'x' });
    const at = Date.parse('2026-11-20T10:10:00Z');
    const wake = (n: number) => ({ at: at + n, from: 'suspended' as const, ms: 200, slept_ms: 5_000 });
    const status: InstanceStatus = {
      instance_id,
      agent: agent.name,
      deployment_id: '',
      image: '',
      tier: 'awake',
      started_at: 0,
      last_used_at: 0,
      memory_bytes: 0,
    };
    const told = (...wakes: ReturnType<typeof wake>[]) => {
      const runtime = { ...t.ctx.drivers.runtime, instances: async () => [{ ...status, wakes }] };
      return countWakes({ ...t.ctx, drivers: { ...t.ctx.drivers, runtime } }, 'node-1');
    };
    await Promise.all([told(wake(0), wake(1)), told(wake(0), wake(1))]);
    await told(wake(0), wake(1), wake(2));
    const { sleep } = await callInsights(ada, { name: agent.name, from: '2026-11-20T10:05:00Z', to: '2026-11-20T10:55:00Z' });
    expect(sleep).toEqual([{ tier: 'suspended', wakes: 3, wake_p50_ms: expect.closeTo(200, -1.7), wake_p95_ms: expect.closeTo(200, -1.7), slept_seconds: 15 }]);
  });
});

describe('payouts', () => {
  test("what others' accounts called well is counted by month and skill; without a price there is no amount", async () => {
    await fill(600, '2026-11-02T00:00:00Z', { skills: ['greet', 'count'] });
    await countCalls(t.ctx);
    const found = await payoutInsights(ada, { name: agent.name, from: '2026-01-01T00:00:00Z', to: '2026-12-01T00:00:00Z' });
    const { rows } = await t.ctx.db.raw<{ rows: { month: string; skill: string; receipts: number }[] }>(
      `select to_char(created_at at time zone 'UTC', 'YYYY-MM') as month, skill, count(*)::int as receipts from receipts
       where agent_id = :agent and caller_user_id = :ben and status = 'ok' group by 1, 2 order by 1 desc, 3 desc, 2`,
      { agent: agent.id, ben: ben.actor.user_id },
    );
    expect(found.months).toEqual(rows.map((row) => ({ ...row, amount_micros: null })));
    expect(found.months.length).toBeGreaterThan(2);
    expect(found).toMatchObject({ amount_micros: null, unpriced: 'no_price_set', counted_to_seq: 600 });
    const { by_owner, without_account, not_ok } = found.not_qualifying;
    expect(found.qualifying + by_owner + without_account + not_ok).toBe(600);
    expect([by_owner, without_account]).toEqual([200, 200]);
  });

  test('a skill with a price has an amount: what settled charges earned its owner, by month, and nothing where it had none', async () => {
    await fill(60, '2026-11-02T00:00:00Z', { skills: ['greet', 'count'] });
    const month = { from: '2026-10-01T00:00:00Z', to: '2026-12-01T00:00:00Z' };
    const price = { price_id: newId('prc'), agent_id: agent.id, skill: 'greet', version: 1, call_micros: 1_000, second_micros: 0, token_micros: 0, artifact_micros: 0, max_micros: 1_000, free_calls: 0 }; // prettier-ignore
    const at = new Date('2026-11-01T00:00:00Z');
    await t.ctx.db('skill_prices').insert({ ...price, valid_from: at, created_at: at });
    const paid = await t.ctx
      .db('receipts')
      .where({ agent_id: agent.id, skill: 'greet', status: 'ok', caller_user_id: ben.actor.user_id })
      .select('receipt_id', 'created_at');
    const charge = { agent_id: agent.id, skill: 'greet', price_id: price.price_id, creator_id: ada.actor.user_id, payer_id: ben.actor.user_id, free: false, held_micros: 1_000 }; // prettier-ignore
    for (const { receipt_id, created_at } of paid)
      await t.ctx.db('charges').insert({ ...charge, charge_id: newId('chg'), run_id: newId('run'), receipt_id, state: 'settled', amount_micros: 1_000, creator_micros: 900, fee_micros: 100, units: '{}', started_at: created_at, ended_at: created_at }); // prettier-ignore
    const found = await payoutInsights(ada, { name: agent.name, ...month });
    expect(paid.length).toBeGreaterThan(2);
    expect(found).toMatchObject({ amount_micros: paid.length * 900, unpriced: null });
    const greeted = found.months.filter(({ skill }) => skill === 'greet');
    expect(greeted.reduce((sum, { amount_micros }) => sum + (amount_micros ?? 0), 0)).toBe(paid.length * 900);
    expect(found.months.filter(({ skill }) => skill === 'count').map(({ amount_micros }) => amount_micros)).toEqual(found.months.filter(({ skill }) => skill === 'count').map(() => null)); // prettier-ignore
    expect(await callInsights(ada, { name: agent.name, ...month })).toMatchObject({ earned_micros: paid.length * 900 });
    expect(await payoutInsights(ada, { name: agent.name, from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' })).toMatchObject({
      unpriced: 'no_price_set',
    });
  });
});
