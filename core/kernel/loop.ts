// Housekeeping that an area names in its index and the worker runs.
import type { Ctx } from './ctx.ts';

export interface AreaLoop {
  name: string;
  everyMs: number;
  /** One round. `host.node` is the name of the worker's machine. */
  run: (ctx: Ctx, host: { node: string }) => Promise<unknown>;
}

/** Two of one name would be one in the metrics, and in the engine. @throws */
export function uniqueNames<T extends { name: string }>(kind: string, all: readonly T[]): readonly T[] {
  for (const [at, { name }] of all.entries()) {
    if (all.findIndex((other) => other.name === name) !== at) throw new Error(`the ${kind} ${name} is named twice: each name is of one area`);
  }
  return all;
}
