// Rules read what strangers wrote: they do so in a thread of their own, which is ended when it takes too long. The process goes on meanwhile.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { AgentCard } from '#contract/wire/card.ts';
import type { Manifest } from '#contract/wire/manifest.ts';
import type { ProjectFile } from '../source/pack.ts';
import type { Verdict } from './judge.ts';

/** What the thread is sent. */
export interface Task {
  files: readonly ProjectFile[];
  card: AgentCard;
  manifest: Manifest;
  lockSince: Date | undefined;
  /** The thread keeps what it has read of it. */
  advisoriesFile: string | undefined;
  now: Date;
}

export type Answer = { verdict: Verdict; fault?: undefined } | { verdict?: undefined; fault: string };

const timeoutMs = 60_000;
const resourceLimits = { maxOldGenerationSizeMb: 2_048 };

let thread: Worker | undefined;
/** One review at a time: a process has other work. */
let line: Promise<unknown> = Promise.resolve();

/** @throws where a rule fails, or takes longer than a minute */
export function judgeApart(task: Task, within = timeoutMs): Promise<Verdict> {
  const mine = line.then(() => ask(task, within));
  line = mine.catch(() => undefined);
  return mine;
}

async function ask(task: Task, within: number): Promise<Verdict> {
  const worker = (thread ??= started());
  const over = new AbortController();
  worker.ref();
  try {
    const late = AbortSignal.any([over.signal, AbortSignal.timeout(within)]);
    const answered = once(worker, 'message', { signal: late });
    const ended = once(worker, 'exit', { signal: late }).then(() => Promise.reject(new Error('The thread of the rules ended')));
    worker.postMessage(task);
    const [answer] = answersIn(await Promise.race([answered, ended]));
    if (answer?.verdict === undefined) throw new Error(answer?.fault ?? 'The thread of the rules gave no answer');
    worker.unref();
    return answer.verdict;
  } catch (error) {
    // Whatever it does still: the next review gets a new one.
    if (thread === worker) thread = undefined;
    await worker.terminate();
    throw isTimeout(error) ? new Error(`The rules took longer than ${within} ms`) : error;
  } finally {
    over.abort();
  }
}

// Safe: thread.ts alone answers.
const answersIn = (found: unknown[]): Answer[] => found as Answer[];

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

function started(): Worker {
  return new Worker(new URL('./thread.ts', import.meta.url), { resourceLimits, env: {}, stdout: false });
}
