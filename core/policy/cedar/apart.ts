// Parses and tries unsaved rules in a separate thread, which is ended when it takes too long. Decisions continue meanwhile.
import { TooManyRequests } from '../../kernel/errors.ts';
import { type TaskAnswer, taskThread, threadApart, TookTooLong } from '../../kernel/task-thread.ts';
import type { Verdict } from './engine.ts';
import type { Inspected } from './inspect.ts';
import type { RuleFacts } from './request.ts';
import type { RuleSet } from './rule-set.ts';

export interface Task {
  set: RuleSet;
  /** What the rules are then asked. */
  facts: readonly RuleFacts[];
}

export interface Tried {
  inspected: Inspected;
  /** One for each of the facts; none where there are problems. */
  verdicts: Verdict[];
}

export type Answer = TaskAnswer<Tried>;

const TIMEOUT_MS = 20_000;
const MAX_OF_ACCOUNT = 2;
const TOO_LONG: Inspected = {
  problems: [{ policy: null, line: null, column: null, length: null, message: 'These policies take too long to read: make them shorter', help: null }],
  warnings: [],
};

const ask = taskThread<Task, Tried>('The thread that reads rules', () => threadApart(new URL('./thread.ts', import.meta.url), 512));
const waiting = new Map<string, number>();

/** One task at a time, and few of one account. @throws TooManyRequests rate_limited */
export async function tryApart(accountId: string, task: Task, within = TIMEOUT_MS): Promise<Tried> {
  const mine = waiting.get(accountId) ?? 0;
  if (mine >= MAX_OF_ACCOUNT)
    throw new TooManyRequests('rate_limited', 'Other rules of yours are being checked: try again in a moment', { retry_after_seconds: 2 });
  waiting.set(accountId, mine + 1);
  try {
    return await ask(task, within);
  } catch (error) {
    if (error instanceof TookTooLong) return { inspected: TOO_LONG, verdicts: [] };
    throw error;
  } finally {
    const left = (waiting.get(accountId) ?? 1) - 1;
    if (left > 0) waiting.set(accountId, left);
    else waiting.delete(accountId);
  }
}
