// An account writes rules that take a good part of a second to prepare and many milliseconds each time they
// are asked. The event loop evaluates none of them, no connection of the database is held meanwhile, and one
// account's rules are decided one at a time. Counted are evaluations, and the loop's own processor time.
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { inTx } from '#core/kernel/tx.ts';
import { tryApart } from '#core/policy/cedar/apart.ts';
import { decideByRules, type CedarQuestion } from '#core/policy/cedar/decide.ts';
import { Engine } from '#core/policy/cedar/engine.ts';
import { ruleThreadCounts } from '#core/policy/cedar/process-engine.ts';
import type { RuleSet } from '#core/policy/cedar/rule-set.ts';
import { readRules, saveRules } from '#core/policy/cedar/rules.ts';
import { testContext, type TestContext, type TestUser } from '../support/context.ts';

let t: TestContext;
let mallory: TestUser;
beforeAll(async () => {
  t = await testContext();
  mallory = await t.user('mallory');
});
afterAll(() => t.close());
afterEach(() => vi.restoreAllMocks());

/** The fewest characters for the most parts. */
const LONG = ['a', 'b', 'c', 'd'].map((name) => ({ name, text: `forbid(principal, action, resource) when { [${'[1],'.repeat(2_000)}[1]].contains([2]) };` }));
/** As people write them. */
const SHORT = Array.from({ length: 20 }, (_, at) => ({
  name: `host-${at}`,
  text: `forbid(principal is Run, action in Action::"egress", resource in Host::"${at === 0 ? 'example' : `h${at}`}.com") when { principal.skill == "work" && context.time.hour < 24 };`,
}));

const question = (host: string): CedarQuestion => ({
  accountId: mallory.actor.user_id,
  principal: { type: 'Run', id: 'run_1', agent: 'lib', owner: mallory.actor.user_id, skill: 'work', depth: 1, caller: null },
  action: 'egress',
  resource: { type: 'Host', host, port: 443 },
  context: {},
});

async function save(policies: { name: string; text: string }[]): Promise<void> {
  const { version } = await readRules(mallory, {});
  expect(await saveRules(mallory, { policies, version, default_outcome: 'allow', record_allowed: true })).toMatchObject({ version: version + 1, broken: null });
}

/** Lengths of the sets that this thread evaluates from now on. */
function evaluatedHere(): number[] {
  const seen: number[] = [];
  const noting = <A extends [RuleSet, ...unknown[]], R>(real: (...given: A) => R) =>
    function (this: Engine, ...given: A): R {
      seen.push(given[0].policies.reduce((sum, { text }) => sum + text.length, 0));
      return real.apply(this, given);
    };
  const { decide, brokenBy } = Engine.prototype;
  vi.spyOn(Engine.prototype, 'decide').mockImplementation(noting(decide));
  vi.spyOn(Engine.prototype, 'brokenBy').mockImplementation(noting(brokenBy));
  return seen;
}

test('the measure sees an evaluation: twenty usual rules are asked here', async () => {
  await save(SHORT);
  const [seen, { begun }] = [evaluatedHere(), ruleThreadCounts];
  expect(await decideByRules(t.ctx, question('example.com'))).toMatchObject({ outcome: 'deny', reasons: ['host-0'] });
  expect(seen).not.toEqual([]);
  expect(ruleThreadCounts.begun).toBe(begun);
});

test('long rules are saved, shown and decided by, and none is evaluated on the loop', async () => {
  const seen = evaluatedHere();
  const { begun, ended, refused } = ruleThreadCounts;
  await save([...LONG, ...SHORT]);
  expect(await readRules(mallory, {})).toMatchObject({ broken: null });
  const decided = await Promise.all(Array.from({ length: 20 }, (_, at) => decideByRules(t.ctx, question(`${at}.example.${at % 2 ? 'com' : 'org'}`))));
  expect(decided.map((one) => one?.outcome)).toEqual(decided.map((_, at) => (at % 2 ? 'deny' : 'allow')));
  expect(seen.filter((length) => length > 8_192)).toEqual([]);
  expect({ ...ruleThreadCounts }).toEqual({ begun: begun + 21, ended, refused });
});

test('the loop has a small part of the work', async () => {
  const asked = Array.from({ length: 10 }, (_, at) => question(`${at}.example.net`));
  const rounds: number[] = [];
  // Each time with rules that nobody was asked for before. Compiling and collecting garbage come on top in
  // some rounds: the least counts.
  for (const name of ['once', 'twice', 'again']) {
    await save([...LONG, ...SHORT.with(-1, { name, text: SHORT[0]?.text ?? '' })]);
    rounds.push(await processorMs(() => Promise.all(asked.map((one) => decideByRules(t.ctx, one)))));
  }
  const engine = new Engine();
  const set: RuleSet = { key: 'here', policies: [...LONG, ...SHORT], default_outcome: 'allow' };
  const work = await processorMs(async () => asked.map((one) => engine.decide(set, { ...one, at: 0 })));
  expect(Math.min(...rounds)).toBeLessThan(work / 4);
});

test('in a transaction: it begins again with the answer, holds no connection meanwhile, and keeps one decision', async () => {
  await save([...LONG, ...SHORT]);
  const { pool } = t.ctx.db.client as { pool: { numUsed(): number } };
  const connections: number[] = [];
  let rounds = 0;
  const { begun } = ruleThreadCounts;
  const deciding = inTx(t.ctx, (ctx) => ((rounds += 1), decideByRules(ctx, question('once.example.com'))));
  let over = false;
  const settled = deciding.finally(() => void (over = true));
  for (let seen = begun; !over; await new Promise(setImmediate)) {
    if (ruleThreadCounts.begun === seen) continue;
    seen = ruleThreadCounts.begun;
    connections.push(pool.numUsed());
  }
  const decision = await settled;
  expect({ connections, rounds, outcome: decision?.outcome }).toEqual({ connections: [0], rounds: 2, outcome: 'deny' });
  const kept = () => t.ctx.db('policy_decisions').whereRaw(`request->'resource'->>'host' = 'once.example.com'`);
  await expect.poll(async () => (await kept()).map(({ decision_id }) => decision_id)).toEqual([decision?.decision_id]);
});

test('a trial that takes long holds back no save, of another account or of its own', async () => {
  await save([...LONG, ...SHORT]);
  await decideByRules(t.ctx, question('tried.example.com'));
  const ada = await t.user('ada');
  const facts = Array.from({ length: 100 }, (_, at) => ({ ...question(`${at}.example.com`), at }));
  // Both threads are there before: how long one takes to start is not compared.
  const set = { key: 'tried', policies: SHORT, default_outcome: 'allow' as const };
  await Promise.all([tryApart(mallory.actor.user_id, { set, facts: facts.slice(0, 1) }), tryApart(ada.actor.user_id, { set, facts: [] })]);
  const ended: string[] = [];
  const trial = tryApart(mallory.actor.user_id, { set: { ...set, policies: LONG }, facts }).then(({ verdicts }) => void ended.push(`${verdicts.length} tried`));
  const policies = SHORT.slice(0, 3);
  await saveRules(ada, { policies, version: 0, default_outcome: 'allow', record_allowed: true }).then(() => ended.push('ada saved'));
  await save(SHORT).then(() => ended.push('mallory saved'));
  await trial;
  expect(ended).toEqual(['ada saved', 'mallory saved', '100 tried']);
});

/** Of this thread, whatever else the machine does. */
async function processorMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
