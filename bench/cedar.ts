// `node bench/cedar.ts`: what rules of an account add to a call. 100,000 random questions are answered as a
// reference of the same language answers them; then questions are asked as the platform asks them, of an
// account without rules and of one with twenty, on a real database. Target: p99 below 1 ms.
import fc from 'fast-check';
import { decideByRules } from '#core/policy/cedar/decide.ts';
import { Engine } from '#core/policy/cedar/engine.ts';
import { ruleHealth } from '#core/policy/cedar/health.ts';
import type { RuleFacts } from '#core/policy/cedar/request.ts';
import { saveRules } from '#core/policy/cedar/rules.ts';
import { facts, reference, rule, textOf } from '#core/policy/cedar/test/world.ts';
import { testContext } from '#test/support/context.ts';
import { benchCluster } from './database.ts';
import { printAdded, QUICK } from './ratio.ts';

const COMPARED = QUICK ? 5_000 : 100_000;
const QUESTIONS = QUICK ? 2_000 : 20_000;
const TARGET_MS = 1;
const SEED = 7;

compare();
const cluster = await benchCluster();
const t = await testContext({ databaseUrl: await cluster.create() });
try {
  const [ada, ben] = [await t.user('ada'), await t.user('ben')];
  const policies = Array.from({ length: 20 }, (_, at) => ({
    name: `rule-${at}`,
    text: `forbid(principal in Agent::"agent-${at}", action in Action::"egress", resource in Host::"h${at}.example.com") when { context.time.hour < ${at} || (context has money.day_cents && context.money.day_cents > ${at}) };`,
  }));
  await saveRules(ada, { policies, version: 0, default_outcome: 'allow', record_allowed: true });
  const question = (accountId: string, at: number): Parameters<typeof decideByRules>[1] => ({
    accountId,
    principal: { type: 'Run', id: 'run_1', agent: `agent-${at % 20}`, owner: accountId, skill: 'work', depth: 1, caller: accountId },
    action: 'egress',
    resource: { type: 'Host', host: `api.h${(at + 1) % 20}.example.com`, port: 443 },
    context: { money: { day_cents: 1 } },
  });
  const measure = async (accountId: string): Promise<number[]> => {
    const took: number[] = [];
    for (let at = 0; at < QUESTIONS; at += 1) {
      const began = performance.now();
      await decideByRules(t.ctx, question(accountId, at));
      took.push(performance.now() - began);
    }
    return took.toSorted((a, b) => a - b);
  };
  await measure(ada.actor.user_id);
  const [without, others] = [await measure(ben.actor.user_id), await measure(ada.actor.user_id)];
  const of = (all: readonly number[], share: number): number => all[Math.floor(all.length * share)] ?? Number.NaN;
  const say = (all: readonly number[]): string => [0.5, 0.9, 0.99].map((share) => `p${share * 100} ${of(all, share).toFixed(3)} ms`).join(', ');
  process.stdout.write(
    `without rules: ${say(without)}\nwith twenty rules: ${say(others)}; ${ruleHealth().unrecorded} decisions beyond what is kept in a second\n`,
  );
  printAdded({ name: 'p99 that twenty rules add', ms: of(others, 0.99) - of(without, 0.99), spread: [of(others, 0.5), of(others, 0.99)], target: TARGET_MS });
} finally {
  await t.close();
  await cluster.stop();
}

/** @throws where one is answered differently */
function compare(): void {
  const engine = new Engine();
  const sets = fc.sample(fc.array(rule, { maxLength: 8 }), { numRuns: COMPARED / 50, seed: SEED });
  const samples: RuleFacts[] = fc.sample(facts, { numRuns: COMPARED, seed: SEED });
  const began = process.cpuUsage();
  const outcomes = { allow: 0, ask: 0, deny: 0 };
  for (const [at, one] of samples.entries()) {
    const number = Math.floor(at / 50);
    const rules = sets[number] ?? [];
    const otherwise = number % 2 === 0 ? 'allow' : 'deny';
    const set = {
      key: `set ${number}`,
      policies: rules.map((each, name) => ({ name: `rule-${name}`, text: textOf(each) })),
      default_outcome: otherwise,
    } as const;
    const { outcome } = engine.decide(set, one);
    const expected = reference(rules, otherwise, one);
    if (outcome !== expected) throw new Error(`${outcome}, not ${expected}: ${JSON.stringify({ set, one })}`);
    outcomes[outcome] += 1;
  }
  // Only this process: how busy the machine is does not matter.
  const { user, system } = process.cpuUsage(began);
  const micros = (user + system) / COMPARED;
  process.stdout.write(
    `${COMPARED} random questions of ${sets.length} sets as the reference answers them: ${JSON.stringify(outcomes)}; ${micros.toFixed(0)} µs of a processor each, sets prepared among it\n`,
  );
}
