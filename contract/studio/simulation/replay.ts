// Repeats a run anywhere, for example in a browser. It needs only the document of the run.
import { ENGINE } from './engine.ts';
import { firstDifference, simulate } from './run.ts';
import { SimulationSpecIn } from './spec.ts';

export interface Repeatable {
  spec: unknown;
  seed: number;
  digests: readonly string[];
  execution_mode: 'bounded' | 'hybrid';
  most_calls: number;
  calls: readonly { state: string; answer?: unknown }[];
}

export interface Repeated {
  matches: boolean;
  /** First step whose digest differs; null: none. */
  first_difference: number | null;
  digest: string;
  engine: string;
}

/** Of as many steps as the run has. @throws ZodError where its specification is none */
export async function replayHere({ spec, seed, digests, most_calls, calls }: Repeatable): Promise<Repeated> {
  const answers = calls.filter(({ state }) => state !== 'running').map(({ answer }) => answer ?? null);
  const ran = await simulate({ spec: SimulationSpecIn.parse(spec), seed, calls: most_calls, answers }, { upTo: digests.length });
  const first = firstDifference(digests, ran.digests);
  return { matches: first === undefined, first_difference: first ?? null, digest: ran.digests.at(-1) ?? '', engine: ENGINE };
}
