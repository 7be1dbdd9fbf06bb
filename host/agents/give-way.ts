// One idle agent gives its memory to another.
import type { Instance } from './instance.ts';

/** An agent that was used within this time keeps its memory. */
export const quietMs = 250;

/**
 * Puts the first of `leastUsedFirst` to sleep that is still idle and lets itself be; false when none does.
 */
export async function giveWay<T extends Pick<Instance, 'process' | 'idleMs'>>(
  leastUsedFirst: readonly T[],
  sleep: (one: T) => Promise<boolean>,
): Promise<boolean> {
  // Asked one by one: each answer takes time, in which the next one may have been used.
  for (const one of leastUsedFirst) if (one.process !== undefined && one.idleMs() >= quietMs && (await sleep(one))) return true;
  return false;
}
