// Rules read what strangers wrote: they do so in a thread of their own, which is ended when it takes too
// long.
import type { AgentCard } from '#contract/wire/card.ts';
import type { Manifest } from '#contract/wire/manifest.ts';
import { taskThread, threadApart, TookTooLong } from '../../kernel/task-thread.ts';
import type { ProjectFile } from '../../agents/source/pack.ts';
import type { ReviewVerdict } from './judge.ts';

/** What the thread is sent. */
export interface ReviewTask {
  files: readonly ProjectFile[];
  card: AgentCard;
  manifest: Manifest;
  lockSince: Date | undefined;
  /** The thread keeps what it has read of it. */
  advisoriesFile: string | undefined;
  now: Date;
}

const timeoutMs = 60_000;

/** One review at a time: a process has other work. */
const ask = taskThread<ReviewTask, { verdict: ReviewVerdict }>('The thread of the rules', () => threadApart(new URL('./thread.ts', import.meta.url), 2_048));

/** @throws where a rule fails, or takes longer than a minute */
export async function judgeApart(task: ReviewTask, within = timeoutMs): Promise<ReviewVerdict> {
  try {
    return (await ask(task, within)).verdict;
  } catch (error) {
    throw error instanceof TookTooLong ? new Error(`The rules took longer than ${within} ms`) : error;
  }
}
