// Runs work over untrusted input in a separate thread, one task after the other. A task that takes too long
// ends its thread; the process goes on meanwhile, and the next task gets a new one.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** What a thread answers: what was asked, or why it could not. */
export type TaskAnswer<A extends object> = (A & { fault?: undefined }) | { fault: string };

export class TookTooLong extends Error {}

/**
 * A thread for untrusted input: it sees nothing of this process's environment, and has so much memory in MiB.
 */
export function threadApart(file: URL, memoryMib: number): Worker {
  return new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: memoryMib }, env: {}, stdout: false });
}

/** The thread is started by the first task, and kept. `name` begins sentences: `The thread of the rules`. */
export function taskThread<T, A extends object>(name: string, start: () => Worker) {
  let thread: Worker | undefined;
  let line: Promise<unknown> = Promise.resolve();

  async function ask(task: T, within: number): Promise<A> {
    const worker = (thread ??= start());
    const over = new AbortController();
    worker.ref();
    try {
      const late = AbortSignal.any([over.signal, outOfTime(worker, within, over.signal)]);
      const answered = once(worker, 'message', { signal: late });
      const ended = once(worker, 'exit', { signal: late }).then(() => Promise.reject(new Error(`${name} ended`)));
      worker.postMessage(task);
      const [answer] = answersIn(await Promise.race([answered, ended]));
      if (!answer || answer.fault !== undefined) throw new Error(answer?.fault ?? `${name} gave no answer`);
      worker.unref();
      return answer;
    } catch (error) {
      // Whatever it does still: the next task gets a new one.
      if (thread === worker) thread = undefined;
      await worker.terminate();
      throw isTimeout(error) ? new TookTooLong(`${name} took longer than ${within} ms`) : error;
    } finally {
      over.abort();
    }
  }

  // Safe: only the thread that `start` makes answers.
  const answersIn = (found: unknown[]): TaskAnswer<A>[] => found as TaskAnswer<A>[];

  /**
   * Milliseconds are the thread's own processor time, from when the task is begun. @throws TookTooLong; Error
   * with the thread's fault
   */
  return (task: T, within: number): Promise<A> => {
    const mine = line.then(() => ask(task, within));
    line = mine.catch(() => undefined);
    return mine;
  };
}

/**
 * On a machine with much else to do, a thread gets its processor time later: up to so much on the clock,
 * whatever is known of it.
 */
const mostMs = (ms: number): number => ms + Math.min(9 * ms, 30_000);

/** Aborted when the thread has worked for `ms`. */
function outOfTime(worker: Worker, ms: number, over: AbortSignal): AbortSignal {
  const late = new AbortController();
  // None yet of a thread that is being started.
  const before = processorMs(worker).catch(() => 0);
  const look = async (): Promise<void> => {
    const worked = await Promise.all([before, processorMs(worker)]).then(
      ([from, to]) => to - from,
      () => ms,
    );
    const left = ms - worked;
    if (over.aborted) return;
    if (left <= 1) late.abort();
    else lookIn(left);
  };
  const afterMs = (pause: number, what: () => void): void => {
    const timer = setTimeout(what, pause);
    over.addEventListener('abort', () => clearTimeout(timer), { once: true });
  };
  const lookIn = (left: number): void => afterMs(left, () => void look());
  lookIn(ms);
  afterMs(mostMs(ms), () => late.abort());
  return late.signal;
}

/** @throws when the thread has ended */
async function processorMs(worker: Worker): Promise<number> {
  const { user, system } = await worker.cpuUsage();
  return (user + system) / 1000;
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
