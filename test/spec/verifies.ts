// A test names the sentences of the specification that it proves. They count as proven in a run in which it
// passed: reporter.ts joins them.
import { test } from 'vitest';
import type { Contract } from '#contract/index.ts';
import type { Sentence } from './sentences.ts';

declare module 'vitest' {
  interface TaskMeta {
    verifies?: readonly string[];
  }
}

export type RouteId = { [G in keyof Contract & string]: `${G}.${keyof Contract[G] & string}` }[keyof Contract & string];
export type SentenceId = RouteId | Sentence;

/** Options of a test, a table of tests or a suite: `test('…', cites('grants.wire'), async () => …)`. */
export function cites(...ids: [SentenceId, ...SentenceId[]]): { meta: { verifies: readonly string[] } } {
  return { meta: { verifies: ids } };
}

/** `verifies('agents.mine', 'lists only the caller\'s', async () => …)` */
export function verifies(id: SentenceId | [SentenceId, ...SentenceId[]], what: string, prove: () => Promise<void> | void): void {
  const ids: [SentenceId, ...SentenceId[]] = typeof id === 'string' ? [id] : id;
  test(`[${ids.join(', ')}] ${what}`, cites(...ids), prove);
}
