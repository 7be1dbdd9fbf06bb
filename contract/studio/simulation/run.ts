// A whole run: all its digests, what was measured, and how each strategy did.
import { type Question, Simulation, type SimulationIn } from './engine.ts';
import type { Violation } from './invariants.ts';
import type { World } from './world.ts';

/** How those did who acted alike. */
interface Outcome {
  role: string;
  strategy: string;
  parameters: Readonly<Record<string, number>>;
  actors: number;
  alive: number;
  /** Micro-credits, of all of them, over what they began with. */
  gained_micros: number;
  points: number;
}

export interface SimulationResult {
  steps: number;
  digest: string;
  /** Thousandths of a point, 0 to 100,000. */
  score: number;
  outcomes: Outcome[];
  violation: Violation | null;
}

export interface Ran {
  /** Of each step, 64 hexadecimal characters. */
  digests: string[];
  samples: Readonly<Record<string, number>>[];
  /** Undefined: an answer is needed, or `upTo` was reached. */
  result: SimulationResult | undefined;
  question: Question | undefined;
}

/**
 * From the beginning to the end, or to a step, or to the first turn of an agent that has not been answered.
 */
export async function simulate(given: SimulationIn, { upTo = Number.MAX_SAFE_INTEGER, signal }: { upTo?: number; signal?: AbortSignal } = {}): Promise<Ran> {
  const simulation = new Simulation(given);
  const digests: string[] = [];
  const samples: Ran['samples'] = [];
  let violation: Violation | null = null;
  while (!simulation.ended && simulation.step < upTo) {
    signal?.throwIfAborted();
    const question = simulation.question();
    if (question) return { digests, samples, result: undefined, question };
    const step = await simulation.next();
    digests.push(step.digest);
    samples.push(step.sample);
    violation = step.violation ?? null;
  }
  if (!simulation.ended) return { digests, samples, result: undefined, question: undefined };
  const digest = digests.at(-1) ?? '';
  return {
    digests,
    samples,
    question: undefined,
    result: { steps: simulation.step, digest, score: simulation.score(), outcomes: outcomesOf(simulation.world), violation },
  };
}

/**
 * The first step whose digests differ; undefined: none. Of lists of different lengths it is the first that
 * one does not have.
 */
export function firstDifference(one: readonly string[], other: readonly string[]): number | undefined {
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) if (one[at] !== other[at]) return at + 1;
  return undefined;
}

function outcomesOf(world: World): Outcome[] {
  const alike = Map.groupBy(world.actors, ({ role, strategyName, parameters }) => `${role} ${strategyName} ${JSON.stringify(parameters)}`);
  const outcomes = [...alike.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const all = [first, ...others];
    const sum = (of: (actor: (typeof all)[number]) => number): number => all.reduce((total, actor) => total + of(actor), 0);
    const { role, strategyName: strategy, parameters } = first;
    const gained_micros = sum((actor) => world.balance(actor) - actor.began);
    return [{ role, strategy, parameters, actors: all.length, alive: sum(({ alive }) => (alive ? 1 : 0)), gained_micros, points: sum(({ points }) => points) }];
  });
  return outcomes.toSorted((a, b) => b.gained_micros / b.actors - a.gained_micros / a.actors);
}
