// Variants of a policy, made by seeded mutation and compared over many seeds: the same seeds for each, so
// that luck is the same for all.
import { canonicalDigest } from '../../wire/sha256.ts';
import { ENGINE } from './engine.ts';
import type { EvolutionStrategy } from './evolution-strategies.ts';
import { clamp, type Kind, type Range } from './kind.ts';
import { KINDS } from './kinds/index.ts';
import { type Interval, interval } from '../../wire/interval.ts';
import { Random } from '../../wire/random.ts';
import { simulate } from './run.ts';
import type { SimulationSpec } from './spec.ts';
import { defaultsOf } from './world.ts';

/** How the studied actors act. */
export interface ActorPolicy {
  strategy: string;
  parameters: Record<string, number>;
}

export interface Contestant extends ActorPolicy {
  name: string;
  generation: 0 | 1;
  /** Name of the one that it was made of. */
  parent: string | null;
  /** What was changed, in words. */
  change: string;
}

export interface Evaluated extends Contestant {
  /** Thousandths of a point, one a seed. */
  scores: number[];
  violations: number;
  /** Of all its runs. */
  digest: string;
}

export interface Compared extends Evaluated {
  score: Interval;
  /** Against the first contestant, seed by seed. */
  gain: Interval;
  worst: number;
}

/** To make a variant that does not exist yet. */
const TRIES = 20;
const SEED_STREAM = 1;
const MUTATION_STREAM = 2;

/** Those seeds in which all are compared. */
export function seedsOf(seed: number, count: number): number[] {
  const random = Random.of(seed, SEED_STREAM);
  return Array.from({ length: count }, () => random.next());
}

/** Of the first actor that is studied. @throws where the world has none */
export function policyIn(spec: SimulationSpec): ActorPolicy {
  const kind = KINDS[spec.kind];
  const first = spec.actors.find(({ role }) => role === kind.subject);
  if (!first) throw new Error(`The world has no ${kind.subject}`);
  return complete(kind, first);
}

/** With every parameter of its strategy. */
export function complete(kind: Kind, { strategy, parameters }: ActorPolicy): ActorPolicy {
  return { strategy, parameters: { ...defaultsOf(kind.roles[kind.subject]?.[strategy]?.parameters ?? {}), ...parameters } };
}

/** The world in which the studied actors act so. */
function withPolicy(spec: SimulationSpec, { strategy, parameters }: ActorPolicy): SimulationSpec {
  const kind = KINDS[spec.kind];
  const first = spec.actors.findIndex(({ role }) => role === kind.subject);
  const changed = spec.actors.map((actor, at) =>
    actor.role === kind.subject && (kind.studies === 'all' || at === first) ? { ...actor, strategy, parameters } : actor,
  );
  return { ...spec, actors: changed };
}

/** `count` variants of a policy. */
export function variantsOf(spec: SimulationSpec, base: Contestant, i: { strategy: EvolutionStrategy; seed: number; count: number }): Contestant[] {
  const strategies = KINDS[spec.kind].roles[KINDS[spec.kind].subject] ?? {};
  const random = Random.of(i.seed, MUTATION_STREAM);
  const changes = [base.change];
  return Array.from({ length: i.count }, (_, at) => {
    let changed = i.strategy === 'sweep' ? swept(strategies, base, at, i.count) : mutated(strategies, base, random);
    for (let again = 0; again < TRIES && i.strategy === 'mutate' && changes.includes(changed.change); again += 1) changed = mutated(strategies, base, random);
    changes.push(changed.change);
    return { ...changed, name: `variant-${at + 1}`, generation: 1 as const, parent: base.name };
  });
}

type Strategies = Kind['roles'][string];
type Changed = ActorPolicy & { change: string };

/** Parameters at even distances over their ranges. */
function swept(strategies: Strategies, base: ActorPolicy, at: number, count: number): Changed {
  const ranges = Object.entries(strategies[base.strategy]?.parameters ?? {});
  const parameters = { ...base.parameters };
  for (const [name, { min, max }] of ranges.slice(0, 1)) parameters[name] = min + Math.floor(((max - min) * (at + 1)) / (count + 1));
  const [first] = ranges;
  return { strategy: base.strategy, parameters, change: first ? `${first[0]} = ${parameters[first[0]]}` : 'nothing to change' };
}

/** One parameter moved, or, now and then and where there is none, another strategy. */
function mutated(strategies: Strategies, base: ActorPolicy, random: Random): Changed {
  const ranges = Object.entries(strategies[base.strategy]?.parameters ?? {});
  const others = Object.keys(strategies).filter((name) => name !== base.strategy);
  const other = ranges.length === 0 || random.chance(400) ? random.pick(others) : undefined;
  if (other !== undefined) {
    return { strategy: other, parameters: defaultsOf(strategies[other]?.parameters ?? {}), change: `strategy = ${other}` };
  }
  const [name, range] = random.pick(ranges) ?? ['', undefined];
  if (!range) return { strategy: base.strategy, parameters: base.parameters, change: 'nothing to change' };
  const value = moved(base.parameters[name] ?? range.value, range, random);
  return { strategy: base.strategy, parameters: { ...base.parameters, [name]: value }, change: `${name} = ${value}` };
}

/** By half of itself, or by a twentieth of the range where that is more; never by nothing. */
function moved(value: number, range: Range, random: Random): number {
  const width = Math.max(1, Math.floor(Math.abs(value) / 2), Math.floor(Math.min(range.max - range.min, 1000) / 20));
  const to = clamp(value + random.near(width), range);
  return to === value ? clamp(value + (value < range.max ? 1 : -1), range) : to;
}

export async function evaluate(spec: SimulationSpec, contestant: Contestant, seeds: readonly number[], signal?: AbortSignal): Promise<Evaluated> {
  const scores: number[] = [];
  const digests: string[] = [];
  let violations = 0;
  for (const seed of seeds) {
    const { result } = await simulate({ spec: withPolicy(spec, contestant), seed }, signal ? { signal } : {});
    if (!result) throw new Error('A run has no end');
    if (result.violation) violations += 1;
    scores.push(result.violation ? 0 : result.score);
    digests.push(result.digest);
  }
  const { strategy, parameters } = contestant;
  return { ...contestant, scores, violations, digest: await canonicalDigest({ engine: ENGINE, strategy, parameters, digests }) };
}

/** All against the first. */
export function compare(all: readonly Evaluated[], seed: number): Compared[] {
  const [base] = all;
  return all.map((one) => {
    const gains = one.scores.map((score, at) => score - (base?.scores[at] ?? 0));
    return { ...one, score: interval(one.scores, seed), gain: interval(gains, seed), worst: Math.min(...gains) };
  });
}

/**
 * The best one that is surely better than the first: the whole interval of its gain is above 0, it broke no
 * rule, and on no seed it loses more than `maxLoss` thousandths of a point.
 */
export function winnerOf(all: readonly Compared[], maxLoss: number): Compared | undefined {
  const better = all.slice(1).filter(({ gain, worst, violations }) => gain.low > 0 && violations === 0 && worst >= -maxLoss);
  return better.toSorted((a, b) => b.gain.mean - a.gain.mean)[0];
}

export async function evolutionDigest(all: readonly Compared[]): Promise<string> {
  return canonicalDigest({ engine: ENGINE, all });
}
