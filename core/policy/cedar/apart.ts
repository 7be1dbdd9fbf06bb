// Parses and tries unsaved rules in separate threads, which are ended when they take too long. Decisions
// continue meanwhile.
import { TooManyRequests } from '../../kernel/errors.ts';
import { fairThreads } from '../../kernel/fair-threads.ts';
import type { Verdict } from './engine.ts';
import type { Inspected } from './inspect.ts';
import type { RuleFacts } from './request.ts';
import type { RuleSet } from './rule-set.ts';

export interface InspectTask {
  set: RuleSet;
  /** What the rules are then asked. */
  facts: readonly RuleFacts[];
}

export interface RuleTrial {
  inspected: Inspected;
  /** One for each of the facts; none where there are problems. */
  verdicts: Verdict[];
}

const FILE = new URL('./thread.ts', import.meta.url);
/**
 * What is saved is read by other threads than what is tried on decisions, which takes as long as there are
 * decisions.
 */
const reading = fairThreads<InspectTask, RuleTrial>('The thread that reads rules', FILE, { threads: 2, pieceMs: 10_000, waitingOfAccount: 2, memoryMib: 512 });
const trying = fairThreads<InspectTask, RuleTrial>('The thread that tries rules', FILE, { threads: 1, pieceMs: 20_000, waitingOfAccount: 2, memoryMib: 512 });
const MAX_OF_ACCOUNT = 2;
const TOO_LONG: Inspected = {
  problems: [{ policy: null, line: null, column: null, length: null, message: 'These policies take too long to read: make them shorter', help: null }],
  warnings: [],
};

const waiting = new Map<string, number>();

/** One task of an account at a time, accounts in turn. @throws TooManyRequests rate_limited */
export async function tryApart(accountId: string, task: InspectTask, within?: number): Promise<RuleTrial> {
  const mine = waiting.get(accountId) ?? 0;
  if (mine >= MAX_OF_ACCOUNT)
    throw new TooManyRequests('rate_limited', 'Other rules of yours are being checked: try again in a moment', { retry_after_seconds: 2 });
  const threads = task.facts.length === 0 ? reading : trying;
  waiting.set(accountId, mine + 1);
  try {
    if (threads.isSpent(accountId))
      throw new TooManyRequests('rate_limited', 'Rules of yours took too long several times: make them shorter, and try again in ten minutes', {
        retry_after_seconds: 600,
      });
    return (await threads.ask(accountId, task, within)) ?? { inspected: TOO_LONG, verdicts: [] };
  } finally {
    const left = (waiting.get(accountId) ?? 1) - 1;
    if (left > 0) waiting.set(accountId, left);
    else waiting.delete(accountId);
  }
}
