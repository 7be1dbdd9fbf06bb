// Rules that are not saved yet are read and tried in a thread of their own, which is ended when it takes too long. Decisions go on meanwhile.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { TooManyRequests } from '../../kernel/errors.ts';
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

export type Answer = (Tried & { fault?: undefined }) | { fault: string };

const TIMEOUT_MS = 20_000;
const MAX_OF_ACCOUNT = 2;
const TOO_LONG: Inspected = {
  problems: [{ policy: null, line: null, column: null, length: null, message: 'These policies take too long to read: make them shorter', help: null }],
  warnings: [],
};

let thread: Worker | undefined;
let line: Promise<unknown> = Promise.resolve();
const waiting = new Map<string, number>();

/** One task at a time, and few of one account. @throws TooManyRequests rate_limited */
export async function tryApart(accountId: string, task: Task, within = TIMEOUT_MS): Promise<Tried> {
  const mine = waiting.get(accountId) ?? 0;
  if (mine >= MAX_OF_ACCOUNT)
    throw new TooManyRequests('rate_limited', 'Other rules of yours are being checked: try again in a moment', { retry_after_seconds: 2 });
  waiting.set(accountId, mine + 1);
  try {
    const turn = line.then(() => ask(task, within));
    line = turn.catch(() => undefined);
    return await turn;
  } finally {
    const left = (waiting.get(accountId) ?? 1) - 1;
    if (left > 0) waiting.set(accountId, left);
    else waiting.delete(accountId);
  }
}

async function ask(task: Task, within: number): Promise<Tried> {
  const worker = (thread ??= started());
  const over = new AbortController();
  worker.ref();
  try {
    const late = AbortSignal.any([over.signal, AbortSignal.timeout(within)]);
    const answered = once(worker, 'message', { signal: late });
    const ended = once(worker, 'exit', { signal: late }).then(() => Promise.reject(new Error('The thread that reads rules ended')));
    worker.postMessage(task);
    const [answer] = answersIn(await Promise.race([answered, ended]));
    if (!answer || answer.fault !== undefined) throw new Error(answer?.fault ?? 'The thread that reads rules gave no answer');
    worker.unref();
    return answer;
  } catch (error) {
    // Whatever it does still: the next task gets a new one.
    if (thread === worker) thread = undefined;
    await worker.terminate();
    if (error instanceof Error && error.name === 'AbortError') return { inspected: TOO_LONG, verdicts: [] };
    throw error;
  } finally {
    over.abort();
  }
}

// Safe: thread.ts alone answers.
const answersIn = (found: unknown[]): Answer[] => found as Answer[];

function started(): Worker {
  return new Worker(new URL('./thread.ts', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: 512 }, env: {}, stdout: false });
}
