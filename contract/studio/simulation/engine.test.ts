import { expect, test } from 'vitest';
import { WORLD_KINDS } from '#contract/states.ts';
import { splitMicros } from '../../wire/ledger.ts';
import { Simulation, type SimulationIn } from './engine.ts';
import { INVARIANTS } from './invariants.ts';
import { firstDifference, simulate } from './run.ts';
import { TEMPLATES, templateOf, worldOf } from './templates.ts';
import type { SimulationSpec } from './spec.ts';

const template = (name: string): SimulationSpec => templateOf(name)?.spec ?? raise(`no template ${name}`);
function raise(message: string): never {
  throw new Error(message);
}
const whole = async (given: SimulationIn) => {
  const ran = await simulate(given);
  return { ...ran, result: ran.result ?? raise('it has no end') };
};

test.each(TEMPLATES.map((one) => [one.template, one.spec] as const))(
  '%s: over seeds, every invariant holds at every step, and a seed says it all',
  async (_, spec) => {
    const digests = new Set<string>();
    for (let seed = 0; seed < 6; seed += 1) {
      const [one, again] = [await whole({ spec, seed }), await whole({ spec, seed })];
      expect(one.result.violation).toBeNull();
      expect(one.digests).toHaveLength(spec.steps);
      expect(firstDifference(one.digests, again.digests)).toBeUndefined();
      digests.add(one.result.digest);
    }
    expect(digests.size).toBe(6);
  },
);

test('digests are the same on every machine: those of engine svc-kernel-1', async () => {
  const found: Record<string, string> = {};
  for (const { template: name, spec } of TEMPLATES) found[name] = (await whole({ spec, seed: 7 })).result.digest;
  // A change here is a change of what worlds do: give ENGINE another number, so that kept runs say which
  // engine made them.
  expect(found).toMatchInlineSnapshot(`
    {
      "adversarial-arena": "7a9cb7bc9ed2c32e0bce865d2d1ef9d90654ae817336aad9a94bcdf58659ab68",
      "capability-lifecycle": "581a2ca8230f594e60a074aae863b8ccd9c2f0e481f0a7a7aa34cc6f957174af",
      "creator-market": "8fad27eddb4e15912212f4bb324b2fcc7061d1baa25b4f0c68c3b9a61d89c578",
      "market": "682af6cd762aab887f2530fcefd61c47a7601bb293f03c6182a08988686f403d",
      "partnership": "9d778472788e8e171ac2bcc5c7ff8067035e61edaf6a2ce60846b6af7a387bb5",
      "resource-competition": "8e7c6e0c68ad05e2fb1846ddffc690a397e5d9a248212d66f6cd374209489fff",
      "school": "962931a96e41dc1421f5c5a18ce3087d6c5b0bebc9caca24b140c071a867e4f0",
      "tournament": "b5f03034a90d4be8e0a7d3234fb00e0c1008724b6c59bc7aaebf065deb9e0612",
    }
  `);
});

test('a run that is taken up again has the same digests', async () => {
  const spec = template('market');
  const { digests } = await whole({ spec, seed: 3 });
  const half = await simulate({ spec, seed: 3 }, { upTo: 40 });
  expect([half.result, half.digests.length]).toEqual([undefined, 40]);
  expect(digests.slice(0, 40)).toEqual(half.digests);
});

test('the seed, the specification, the number of steps and the answers are what a digest depends on', async () => {
  const spec = template('market');
  const { result } = await whole({ spec, seed: 3 });
  for (const other of [
    { spec, seed: 4 },
    { spec: { ...spec, title: 'Another' }, seed: 3 },
    { spec: { ...spec, steps: spec.steps - 1 }, seed: 3 },
  ]) {
    expect((await whole(other)).result.digest).not.toBe(result.digest);
  }
});

test.each([
  ['containment', 'adversarial-arena', { authorityFault: () => undefined }],
  ['one_grant_at_a_time', 'capability-lifecycle', { decide: () => 'allowed' as const }],
  ['nothing_broken', 'adversarial-arena', { decide: () => 'allowed' as const }],
  ['money_conserved', 'market', { split: (amount: number) => ({ share: amount, rest: amount }) }],
])('%s: a world whose rules have a fault ends at once, with the step and the rule', async (rule, name, laws) => {
  const seen = new Set<string>();
  for (let seed = 0; seed < 8 && !seen.has(rule); seed += 1) {
    const { result } = await whole({ spec: template(name), seed, laws });
    if (result.violation) seen.add(result.violation.rule);
  }
  // Entries that are not balanced are refused by the ledger itself: nothing is sold, and the market's digests
  // differ.
  if (rule === 'money_conserved') expect(seen).toEqual(new Set());
  else expect([...seen]).toContain(rule);
});

test('a fault that no invariant sees is seen by a replay, at its first step', async () => {
  const spec = template('market');
  const kept = await whole({ spec, seed: 5 });
  // Rounds up instead of down, of smaller amounts: a micro-credit of a sale goes to another account, and all
  // of them are conserved.
  const roundingUp = (amount: number, permille: number): ReturnType<typeof splitMicros> => {
    const { share, rest } = splitMicros(amount, permille);
    return amount > 1_400 || (amount * permille) % 1000 === 0 ? { share, rest } : { share: share + 1, rest: rest - 1 };
  };
  const other = await whole({ spec, seed: 5, laws: { split: roundingUp } });
  expect(other.result.violation).toBeNull();
  const step = firstDifference(kept.digests, other.digests) ?? raise('nobody noticed');
  expect(step).toBeGreaterThan(1);
  expect(kept.digests.slice(0, step - 1)).toEqual(other.digests.slice(0, step - 1));
});

test('a bound on a metric is an invariant too', async () => {
  const spec = { ...template('creator-market'), invariants: [{ metric: 'solvent_permille', at_least: 900, from_step: 10 }] };
  const { result, digests } = await whole({ spec, seed: 7 });
  expect(result.violation).toMatchObject({ rule: 'solvent_permille', actor: null });
  expect(result.violation?.step).toBe(digests.length);
  expect(result.steps).toBeLessThan(spec.steps);
});

test('a policy that denies is before one that allows, and a freeze before a revocation', async () => {
  const { decide } = await import('./authority.ts');
  const grant = { id: 1, parent: -1, depth: 0, issuer: -1, holder: 0, actions: ['read'], allow: ['**'], deny: [], expires: 9, budget: 5, spent: 0, given: 0, max_depth: 1, revoked: false, children: new Set<never>(), region: '**' }; // prettier-ignore
  const ask = { actor: 0, action: 'read', path: 'a', amount: 0, step: 3 };
  const policy = (effect: 'deny' | 'freeze' | 'revoke' | 'allow', more = {}) => ({ effect, from: 1, to: 9, ...more });
  expect(decide([], grant, ask)).toBe('allowed');
  expect(decide([policy('allow'), policy('revoke'), policy('freeze'), policy('deny')], grant, ask)).toBe('denied');
  expect(decide([policy('allow'), policy('revoke'), policy('freeze')], grant, ask)).toBe('frozen');
  expect(decide([policy('allow'), policy('revoke')], grant, ask)).toBe('revoked');
  expect(decide([policy('allow', { action: 'write' })], grant, ask)).toBe('denied');
  expect(decide([], { ...grant, holder: 1 }, ask)).toBe('revoked');
  expect(decide([], grant, { ...ask, step: 10 })).toBe('expired');
  expect(decide([], grant, { ...ask, amount: 6 })).toBe('over_budget');
  expect(decide([], grant, { ...ask, action: 'write' })).toBe('not_covered');
});

test('turns of agents: the run waits for an answer, takes it into its digest, and believes it nothing', async () => {
  const base = template('creator-market');
  const spec = {
    ...base,
    steps: 20,
    actors: base.actors.map((actor, at) => (at === 0 ? { ...actor, agent: { name: 'pricer', skill: 'turn', args: {} } } : actor)),
  };
  const first = await simulate({ spec, seed: 7, calls: 2 });
  expect(first.question).toMatchObject({ call: 0, step: 1, actor: spec.actors[0]?.actor_id, observation: { kind: 'market', balance_micros: 20_000 } });
  const good = [
    { act: 'emit_signal', value: 5 },
    { act: 'score_participant', value: 1 },
  ];
  const nonsense = [{ act: 'take_everything' }, 'x'.repeat(100), null, { act: 'emit_signal', value: Number.MAX_VALUE }];
  const answered = await whole({ spec, seed: 7, calls: 2, answers: good });
  expect(answered.result.violation).toBeNull();
  expect((await whole({ spec, seed: 7, calls: 2, answers: good })).result.digest).toBe(answered.result.digest);
  const ignored = await Promise.all(nonsense.map(async (answer) => (await whole({ spec, seed: 7, calls: 2, answers: [answer, answer] })).result.digest));
  expect(new Set(ignored).size).toBe(1);
  expect(ignored[0]).not.toBe(answered.result.digest);
});

test('what is measured does not grow with time: grants end, edges are few', async () => {
  for (const kind of WORLD_KINDS) {
    const spec = worldOf(kind, 25, 400);
    const simulation = new Simulation({ spec, seed: 1 });
    while (!simulation.ended) await simulation.next();
    expect(simulation.world.grants.size, kind).toBeLessThanOrEqual(25 * 16);
    for (const { edges, grants } of simulation.world.actors) expect(Math.max(edges.size, grants.size)).toBeLessThanOrEqual(16);
  }
  expect(Object.keys(INVARIANTS).length).toBeGreaterThan(6);
});
