// Calls of skills with a price, on a real database: random histories with crashes, races for money and for
// free calls, and who pays.
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent, runOf } from '#test/support/runs.ts';
import type { SkillPriceIn } from '#contract/money/prices.ts';
import type { ReceiptPayload } from '#contract/wire/receipt.ts';
import { resolveRoute } from '../../agents/route/resolve.ts';
import type { Actor, Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { inTx } from '../../kernel/tx.ts';
import { listCharges } from '../../money/charge/list.ts';
import { sweepCharges } from '../../money/charge/sweep.ts';
import { accountOf, platformAccount, SHARDS } from '../../money/ledger/accounts.ts';
import { auditLedger } from '../../money/ledger/audit-ledger.ts';
import { post } from '../../money/ledger/post.ts';
import { endPrice } from '../../money/price/end.ts';
import { listPrices } from '../../money/price/list.ts';
import { setPrice } from '../../money/price/set.ts';
import { controlRoom } from '../../overview/control-room/read.ts';
import { setPolicy } from '../../overview/control-room/set-policy.ts';
import { endDurableRun } from '../durable/end.ts';
import { startRun } from '../durable/start.ts';
import { failed, failedBecause, type Outcome, succeeded } from '../run/outcome.ts';
import { beginCall } from '#test/support/calls.ts';
import { beginCalls } from './begin.ts';
import type { Call } from './call.ts';
import { endCall } from './end.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
/** Ada's; Ben calls it. */
let agent: LiveAgent;
beforeAll(async () => void (t = await testContext({ connections: 20 })));
afterAll(() => t.close());
beforeEach(async () => {
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
  agent = await liveAgent(t.ctx, ada.actor.user_id, { visibility: 'public', card: { skills } });
});
const skills = ['work', 'rest'].map((id) => ({ id, name: id, input_schema: {}, output_schema: {} }));

const COSTS = { call_micros: 20_000, second_micros: 0, token_micros: 0, artifact_micros: 0, free_calls: 0 };
const price = (more: Partial<SkillPriceIn> = {}, skill = 'work') => setPrice(ada, { name: agent.name, skill, price: { ...COSTS, ...more } });
async function credit(user: TestUser, micros: number): Promise<void> {
  const key = `promotion:${newId('acc')}`;
  const [wallet, from] = [await accountOf(t.ctx.db, 'wallet', user.actor.user_id), await platformAccount(t.ctx.db, 'promotion', key)];
  const lines = [{ accountId: wallet, micros }, { accountId: from, micros: -micros }]; // prettier-ignore
  await post(t.ctx.db, { key, kind: 'promotion', lines, refs: {}, at: Date.now() });
}
const account = async (kind: 'wallet' | 'earnings', user: TestUser) => {
  const row = await t.ctx.db('ledger_accounts').where({ kind, owner_id: user.actor.user_id }).first();
  return { balance: row?.balance_micros ?? 0, held: row?.held_micros ?? 0 };
};
const fees = async (): Promise<number> => {
  const rows = await t.ctx.db('ledger_accounts').where({ kind: 'fees' });
  expect(rows.length).toBeLessThanOrEqual(SHARDS);
  return rows.reduce((sum, { balance_micros }) => sum + balance_micros, 0);
};
const chargesOf = (of: { run: { run_id: string } }) => t.ctx.db('charges').where({ run_id: of.run.run_id });
const payloadOf = async (runId: string): Promise<ReceiptPayload> => {
  const row = await t.ctx.db('receipts').where({ run_id: runId }).first('payload');
  return row?.payload as ReceiptPayload;
};

async function begin(by: Ctx & { actor: Actor }, of = agent, skill = 'work'): Promise<Call> {
  const route = await resolveRoute(t.ctx, of.name);
  if (!route) throw new Error('no route');
  return (await beginCall(by, { route, actor: by.actor, skill, grant: undefined, input: { inputSha256: 'a'.repeat(64), args: () => ({}) } })).call;
}
const OK = succeeded({ done: true });
const end = (call: Call, outcome: Outcome = OK) => endCall(t.ctx, call, outcome);
const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'through',
    (error) => String(error.code),
  );

describe('prices', () => {
  test('a version takes the place of the one before, and none changes; the same again is no new one', async () => {
    const first = await price();
    expect(await price()).toEqual(first);
    const second = await price({ call_micros: 30_000 });
    expect([first.version, second.version]).toEqual([1, 2]);
    const { items } = await listPrices(ben, { name: agent.name, limit: 10, history: true });
    expect(items).toEqual([second, { ...first, valid_until: second.valid_from }]);
    await endPrice(ada, { name: agent.name, skill: 'work' });
    expect((await listPrices(ben, { name: agent.name, limit: 10, history: false })).items).toEqual([]);
    expect((await price()).version).toBe(3);
    const audited = await t.ctx.db('audit_log').where({ target_id: agent.id }).whereIn('action', ['price.put', 'price.end']);
    expect(audited).toHaveLength(4);
  });

  test('a skill that the agent does not have gets none, nor does an agent of others', async () => {
    await expect(price({}, 'nothing')).rejects.toMatchObject({ code: 'price_skill_unknown', details: { skills: ['work', 'rest'] } });
    await expect(setPrice(ben, { name: agent.name, skill: 'work', price: COSTS })).rejects.toMatchObject({ code: 'agent_not_found' });
    await expect(endPrice(ada, { name: agent.name, skill: 'work' })).rejects.toMatchObject({ code: 'price_not_found' });
  });

  test('racing changes leave one valid version, without a gap or an overlap', async () => {
    await Promise.all(Array.from({ length: 12 }, (_, n) => price({ call_micros: 1_000 + n })));
    const { items } = await listPrices(ada, { name: agent.name, limit: 100, history: true });
    const ordered = items.toReversed();
    expect(ordered.map(({ version }) => version)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
    expect(ordered.map(({ valid_until }) => valid_until)).toEqual([...ordered.slice(1).map(({ valid_from }) => valid_from), null]);
  });
});

describe('a call', () => {
  test('that goes well is paid: the creator earns, the platform keeps its part, and the receipt says it', async () => {
    const { price_id } = await price();
    await credit(ben, 50_000);
    const before = await fees();
    const call = await begin(ben);
    expect(await account('wallet', ben)).toEqual({ balance: 50_000, held: 20_000 });
    const receipt = await end(call);
    expect(await account('wallet', ben)).toEqual({ balance: 30_000, held: 0 });
    expect(await account('earnings', ada)).toEqual({ balance: 18_000, held: 0 });
    expect((await fees()) - before).toBe(2_000);
    const [charge] = await chargesOf(call);
    expect(charge).toMatchObject({ state: 'settled', amount_micros: 20_000, creator_micros: 18_000, fee_micros: 2_000, receipt_id: receipt?.receipt_id });
    const units = { calls: 1, seconds: expect.any(Number), tokens: 0, artifacts: 0 };
    const said = { charge_id: charge?.charge_id, price_id, free: false, amount_micros: 20_000, max_micros: 20_000, units };
    expect((await payloadOf(call.run.run_id)).charge).toEqual(said);
    const { items } = await listCharges(ben, { limit: 10 });
    expect(items).toMatchObject([{ agent: agent.name, skill: 'work', state: 'settled', amount_micros: 20_000 }]);
    expect((await listCharges(ada, { limit: 10 })).items).toEqual([]);
  });

  test.each([
    ['failed', failed('skill_failed')],
    ['cancelled', { state: 'cancelled', error: { code: 'cancelled_by_caller' } } as const],
  ])('that %s costs nothing', async (_, outcome) => {
    await price();
    await credit(ben, 20_000);
    const call = await begin(ben);
    await end(call, outcome);
    expect(await account('wallet', ben)).toEqual({ balance: 20_000, held: 0 });
    expect(await chargesOf(call)).toMatchObject([{ state: 'released', amount_micros: null }]);
    expect((await payloadOf(call.run.run_id)).charge).toMatchObject({ amount_micros: 0 });
  });

  test('by its owner, or of a skill without a price, costs nothing and writes nothing', async () => {
    await price();
    for (const call of [await begin(ada), await begin(ben, agent, 'rest')]) {
      expect(call.charged).toBeUndefined();
      await end(call);
      expect(await chargesOf(call)).toEqual([]);
      expect((await payloadOf(call.run.run_id)).charge).toBeUndefined();
    }
  });

  test('that its account cannot pay is refused before it starts, with its cost', async () => {
    await price({ second_micros: 500, max_micros: 90_000 });
    await credit(ben, 89_999);
    const message = `A call of ${agent.name}.work costs $0.02 a call, $0.0005 a second, at most $0.09, and the account that pays has less to spend: add credits to it, then call again`;
    await expect(begin(ben)).rejects.toMatchObject({ code: 'insufficient_credits', message, details: { max_micros: 90_000 } });
    expect(await codeOf(begin({ ...t.ctx, actor: { kind: 'anonymous' } }))).toBe('account_required');
    expect(await t.ctx.db('charges').where({ agent_id: agent.id })).toEqual([]);
    expect(await t.ctx.db('open_calls').whereRaw(`call->'route'->>'agentId' = ?`, [agent.id])).toEqual([]);
  });

  test('is charged by what was counted, and at most what was held', async () => {
    await price({ call_micros: 0, second_micros: 1_000, token_micros: 10, max_micros: 30_000 });
    await credit(ben, 60_000);
    const tokens = async (call: Call, many: number, payer: TestUser): Promise<void> => {
      const used = { model: 'm', provider: 'p', credential: 'c', purpose: 'skill', reserved_micros: 0, output_tokens: 0, state: 'ok' as const };
      const row = { ...used, usage_id: newId('llu'), user_id: payer.actor.user_id, run_id: call.run.run_id, input_tokens: many, cached_input_tokens: 0 };
      const credential_id = newId('llc');
      const sealed = { credential_id, user_id: payer.actor.user_id, name: credential_id, provider: 'openai', base_url: 'https://x.test', model: 'm', protocol: 'openai' as const, key_sealed: 'x' }; // prettier-ignore
      await t.ctx.db('llm_credentials').insert(sealed);
      await t.ctx.db('llm_usage').insert({ ...row, credential_id, day: '2026-11-26', started_at: new Date(), ended_at: new Date() });
    };
    const some = await begin(ben);
    await tokens(some, 200, ada);
    // On a credential of his own he has paid already.
    await tokens(some, 5_000, ben);
    await endCall({ ...t.ctx, clock: () => some.startedAt + 1_001 }, some, OK);
    expect(await chargesOf(some)).toMatchObject([{ amount_micros: 4_000, units: { calls: 1, seconds: 2, tokens: 200, artifacts: 0 } }]);
    const many = await begin(ben);
    await endCall({ ...t.ctx, clock: () => many.startedAt + 86_400_000 }, many, OK);
    expect(await chargesOf(many)).toMatchObject([{ amount_micros: 30_000, held_micros: 30_000 }]);
  });

  test('keeps the price that was valid when it began', async () => {
    const { price_id } = await price();
    await credit(ben, 100_000);
    const call = await begin(ben);
    await price({ call_micros: 90_000 });
    await end(call);
    await endPrice(ada, { name: agent.name, skill: 'work' });
    expect(await chargesOf(call)).toMatchObject([{ price_id, amount_micros: 20_000 }]);
    expect(await account('wallet', ben)).toEqual({ balance: 80_000, held: 0 });
  });

  test('with others in one request is refused where one of them has a price', async () => {
    await price();
    const route = await resolveRoute(t.ctx, agent.name);
    if (!route) throw new Error('no route');
    const input = { inputSha256: 'a'.repeat(64), args: () => ({}) };
    const calls = new Map(['work', 'rest'].map((skill) => [skill, { skill, inputSha256: input.inputSha256 }]));
    await expect(beginCalls(ben, { route, actor: ben.actor, skill: 'mcp', grant: undefined, input, calls, kept: () => undefined })).rejects.toMatchObject({
      code: 'priced_calls_apart',
    });
  });
});

describe('races', () => {
  test('of 500 calls on a wallet for 100 exactly 100 begin, and it is never below zero', async () => {
    await price();
    await credit(ben, 100 * 20_000);
    const results = await Promise.all(
      Array.from({ length: 500 }, async () => {
        const call = await begin(ben).catch((error: { code: string }) => error.code);
        return call;
      }),
    );
    const calls = results.filter((one) => typeof one !== 'string');
    expect(calls).toHaveLength(100);
    expect(new Set(results.filter((one) => typeof one === 'string'))).toEqual(new Set(['insufficient_credits']));
    expect(await account('wallet', ben)).toEqual({ balance: 2_000_000, held: 2_000_000 });
    await Promise.all(calls.map((call) => end(call)));
    expect(await account('wallet', ben)).toEqual({ balance: 0, held: 0 });
    expect(await account('earnings', ada)).toEqual({ balance: 100 * 18_000, held: 0 });
  });

  test('of 40 calls no more than the free ones are free, and they count however they end', async () => {
    await price({ free_calls: 5 });
    await credit(ben, 10 * 20_000);
    const calls = (await Promise.all(Array.from({ length: 40 }, () => begin(ben).catch(() => undefined)))).filter((call) => call !== undefined);
    expect(calls).toHaveLength(15);
    const free = await t.ctx.db('charges').where({ agent_id: agent.id, free: true });
    expect(free).toHaveLength(5);
    await Promise.all(calls.map((call) => end(call, failed('skill_failed'))));
    await end(await begin(ben));
    expect(await account('wallet', ben)).toEqual({ balance: 9 * 20_000, held: 0 });
    // Another account has its own.
    const eve = await t.user('eve');
    const call = await begin(eve);
    await end(call);
    expect(await chargesOf(call)).toMatchObject([{ free: true, state: 'settled', amount_micros: 0, held_micros: 0 }]);
    expect((await payloadOf(call.run.run_id)).charge).toMatchObject({ free: true, amount_micros: 0 });
  });

  test('the budget of a policy holds to the micro-credit, and frees what was not spent', async () => {
    await price({ call_micros: 10_000, second_micros: 1, max_micros: 20_000 });
    await credit(ben, 10_000_000);
    // 21 cents: ten calls at once, at most.
    await setPolicy(ben, { monthly_budget_cents: 21 });
    const results = await Promise.all(Array.from({ length: 30 }, () => begin(ben).catch((error: { code: string }) => error.code)));
    const calls = results.filter((one) => typeof one !== 'string');
    expect(calls).toHaveLength(10);
    expect(results).toContain('policy_budget_reached');
    await Promise.all(calls.map((call) => end(call, failed('skill_failed'))));
    const caps = await t.ctx.db('llm_caps').where({ user_id: ben.actor.user_id });
    expect(caps.map(({ spent_micros, reserved_micros }) => [spent_micros, reserved_micros])).toEqual(caps.map(() => [0, 0]));
    const one = await begin(ben);
    await endCall({ ...t.ctx, clock: () => one.startedAt + 1 }, one, OK);
    const [cap] = await t.ctx.db('llm_caps').where({ user_id: ben.actor.user_id }).andWhereLike('cap_id', 'policy:month:%');
    expect([cap?.spent_micros, cap?.reserved_micros]).toEqual([10_001, 0]);
    const { spend } = await controlRoom(ben, { receipts: 0, denials: 0 });
    expect(spend).toMatchObject({ cost_micros: 10_001, charged_micros: 10_001, reserved_micros: 0, unpriced_calls: 0 });
    expect(spend.by_agent).toEqual([{ key: agent.name, cost_micros: 10_001, calls: 1 }]);
  });
});

test('what was paid before a policy was set counts under its budgets', async () => {
  await price();
  await credit(ben, 100_000);
  await end(await begin(ben));
  await end(await begin(ben), failed('skill_failed'));
  await setPolicy(ben, { monthly_budget_cents: 3, daily_budget_cents: 100, agent_daily_budget_cents: 100, person_daily_budget_cents: 100 });
  expect(await codeOf(begin(ben))).toBe('policy_budget_reached');
  const counted = await t.ctx.db('llm_caps').where({ user_id: ben.actor.user_id }).select('cap_id', 'spent_micros');
  expect(counted.map(({ cap_id }) => cap_id.split(':')[1]).toSorted()).toEqual(['agent_day', 'day', 'month', 'person_day']);
  expect(counted.map(({ spent_micros }) => spent_micros)).toEqual([20_000, 20_000, 20_000, 20_000]);
});

describe('a call by a run', () => {
  test('is paid by whom the run works for, within what agents of others may spend', async () => {
    await price();
    await credit(ben, 10_000_000);
    const eve = await t.user('eve');
    const hers = await liveAgent(t.ctx, eve.actor.user_id, { visibility: 'public' });
    const run = runOf(t.ctx, hers, ben.actor.user_id);
    const call = await begin(run);
    await end(call);
    expect(await chargesOf(call)).toMatchObject([{ payer_id: ben.actor.user_id, creator_id: ada.actor.user_id, amount_micros: 20_000 }]);
    expect(await account('wallet', ben)).toEqual({ balance: 9_980_000, held: 0 });
    // Five dollars, where he has set no budget; five cents, once he has.
    await price({ call_micros: 4_990_000 });
    expect(await codeOf(begin(run))).toBe('llm_cap_reached');
    await setPolicy(ben, { run_budget_cents: 500 });
    const other = runOf(t.ctx, hers, ben.actor.user_id);
    expect(await codeOf(begin(other))).toBe('through');
    expect(await codeOf(begin(other))).toBe('policy_budget_reached');
    expect(await t.ctx.db('policy_denials').where({ user_id: ben.actor.user_id })).toMatchObject([
      { rule: 'run_budget_cents', resource: `${agent.name}.work` },
    ]);
  });

  test('without a user is paid by the owner of its agent; calls of agents of the same owner are free', async () => {
    await price();
    const own = await liveAgent(t.ctx, ada.actor.user_id);
    const free = await begin(runOf(t.ctx, own, null));
    expect(free.charged).toBeUndefined();
    const eve = await t.user('eve');
    const hers = await liveAgent(t.ctx, eve.actor.user_id);
    expect(await codeOf(begin(runOf(t.ctx, hers, null)))).toBe('insufficient_credits');
    await credit(eve, 20_000);
    const paid = await begin(runOf(t.ctx, hers, null));
    expect(await chargesOf(paid)).toMatchObject([{ payer_id: eve.actor.user_id, person_id: null }]);
  });
});

test('a durable run holds with its start and settles with its receipt; the same start again is not charged again', async () => {
  await price();
  await credit(ben, 40_000);
  const start = (idempotencyKey: string) =>
    inTx(ben, (ctx) => startRun(ctx, { userId: ben.actor.user_id, agent: agent.name, skill: 'work', args: {}, idempotencyKey }));
  const { run_id } = await start('a');
  expect(await start('a')).toMatchObject({ run_id, existing: true });
  expect(await account('wallet', ben)).toEqual({ balance: 40_000, held: 20_000 });
  const refused = await start('b');
  await expect(start('c')).rejects.toMatchObject({ code: 'insufficient_credits' });
  expect(await endDurableRun(ben, run_id, { state: 'succeeded', outputSha256: 'b'.repeat(64), result: 1 })).toBe(true);
  expect(await endDurableRun(ben, refused.run_id, failedBecause('run_lost', 'It was lost'))).toBe(true);
  expect(await account('wallet', ben)).toEqual({ balance: 20_000, held: 0 });
  expect((await payloadOf(run_id)).charge).toMatchObject({ amount_micros: 20_000 });
});

test('a charge whose call is over without its end is released; one whose call goes on is not', async () => {
  await price();
  await credit(ben, 60_000);
  const [lost, open] = [await begin(ben), await begin(ben)];
  await t.ctx.db('open_calls').where({ call_id: lost.callId }).delete();
  expect(await sweepCharges(later())).toEqual([lost.run.run_id]);
  expect(await sweepCharges(later())).toEqual([]);
  expect(await chargesOf(lost)).toMatchObject([{ state: 'released' }]);
  expect(await account('wallet', ben)).toEqual({ balance: 60_000, held: 20_000 });
  await end(open);
  expect(await account('wallet', ben)).toEqual({ balance: 40_000, held: 0 });
});

/** When the sweep may look at what began now. */
const later = () => ({ ...t.ctx, clock: () => Date.now() + 120_000 });

type Step = { kind: 'begin' | 'end' | 'fail' | 'crash' | 'sweep' | 'price' | 'twice'; who: number; which: number; micros: number };
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('begin', 'begin', 'begin', 'end', 'fail', 'crash', 'sweep', 'price', 'twice'),
  who: fc.nat(1),
  which: fc.nat(9),
  micros: fc.integer({ min: 1, max: 40_000 }),
});

test('any history of calls, failures, crashes and prices: the books balance, nothing stays held, and no call is charged twice', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }), async (steps) => {
      const owner = await t.user('owner');
      const of = await liveAgent(t.ctx, owner.actor.user_id, { visibility: 'public', card: { skills } });
      const callers = [await t.user('one'), await t.user('two')] as const;
      for (const caller of callers) await credit(caller, 100_000);
      const set = (micros: number) => setPrice(owner, { name: of.name, skill: 'work', price: { ...COSTS, call_micros: micros } });
      let now = await set(10_000);
      /** `gone`: no process holds it, so that the sweep may end it. */
      const calls: { call: Call; who: number; micros: number; over: boolean; gone: boolean }[] = [];
      const model = callers.map(() => ({ balance: 100_000, held: 0 }));
      let earned = 0;
      for (const { kind, who, which, micros } of steps) {
        const [caller, its, one] = [callers[who], model[who], calls[which]];
        if (!caller || !its) throw new Error('a step names nobody');
        if (kind === 'price') now = await set(micros);
        else if (kind === 'begin') {
          const covered = its.balance - its.held >= now.max_micros;
          const call = await begin(caller, of).catch((error: { code: string }) => error.code);
          expect(typeof call === 'string').toBe(!covered);
          if (typeof call === 'string') continue;
          its.held += now.max_micros;
          calls.push({ call, who, micros: now.max_micros, over: false, gone: false });
        } else if (kind === 'sweep') {
          await sweepCharges(later());
          for (const lost of calls.filter(({ over, gone }) => gone && !over)) {
            lost.over = true;
            its.held -= lost.who === who ? lost.micros : 0;
            const other = model[1 - who];
            if (other && lost.who !== who) other.held -= lost.micros;
          }
        } else if (one) {
          const whose = model[one.who];
          if (!whose) throw new Error('a call of nobody');
          if (kind === 'crash') {
            await t.ctx.db('open_calls').where({ call_id: one.call.callId }).delete();
            one.gone = true;
            continue;
          }
          if (kind === 'fail') await end(one.call, failed('skill_failed'));
          if (kind === 'end') await end(one.call);
          if (kind === 'twice') await Promise.all([end(one.call), end(one.call)]);
          if (one.over) continue;
          one.over = true;
          whose.held -= one.micros;
          if (kind === 'fail') continue;
          whose.balance -= one.micros;
          earned += one.micros - Math.floor(one.micros / 10);
        }
      }
      for (const { call } of calls) await t.ctx.db('open_calls').where({ call_id: call.callId }).delete();
      await sweepCharges(later());
      expect(await Promise.all(callers.map((caller) => account('wallet', caller)))).toEqual(model.map(({ balance }) => ({ balance, held: 0 })));
      expect(await account('earnings', owner)).toEqual({ balance: earned, held: 0 });
      expect(await t.ctx.db('charges').where({ agent_id: of.id, state: 'held' })).toEqual([]);
    }),
    { numRuns: 30 },
  );
  expect(await auditLedger(t.ctx)).toEqual([]);
});
