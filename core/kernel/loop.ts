// Housekeeping that an area names in its index and the worker runs.
import type { Ctx } from './ctx.ts';

export interface AreaLoop {
  name: string;
  everyMs: number;
  /** One round. `host.node` is the name of the worker's machine. */
  run: (ctx: Ctx, host: { node: string }) => Promise<unknown>;
}

/** Two loops of one name would be one in the metrics. @throws */
export function uniqueLoops(loops: readonly AreaLoop[]): readonly AreaLoop[] {
  for (const [at, { name }] of loops.entries()) {
    if (loops.findIndex((other) => other.name === name) !== at) throw new Error(`the loop ${name} is named twice: each name is of one area`);
  }
  return loops;
}
