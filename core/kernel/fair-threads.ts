// Work that an account's data decides, off the event loop: in few threads, one piece of an account at a time,
// and under one budget of each account. An account whose pieces were ended often enough is refused for a
// while: many that each reach their limit would hold the threads all the same.
import { taskThread, threadApart, TookTooLong } from './task-thread.ts';

interface FairLimits {
  threads: number;
  /** Of one piece, from when a thread begins it. */
  pieceMs: number;
  /** Pieces of one account that may wait. */
  waitingOfAccount: number;
  /** Of each thread; default 256. */
  memoryMib?: number;
}

export interface FairThreads<T, A> {
  /**
   * Undefined: it took too long, or there is no room or budget for it. @throws Error with the thread's fault
   */
  ask(account: string, task: T, within?: number): Promise<A | undefined>;
  /** Undefined also where it failed. */
  tryAsk(account: string, task: T): Promise<A | undefined>;
  /** Its pieces took too long so often that none is begun for a while. */
  isSpent(account: string): boolean;
  /** Since the start. */
  readonly counts: Readonly<{ begun: number; ended: number; refused: number }>;
}

/** Pieces of one account that may be ended within WINDOW_MS. */
const ENDED_OF_ACCOUNT = 4;
const WINDOW_MS = 600_000;
/** For a thread to start, on a machine with much else to do. */
const START_MS = 30_000;
const MAX_ACCOUNTS = 10_000;

/** @param file of a thread that answers each task, and the task `null` as soon as it is ready */
export function fairThreads<T, A extends object>(name: string, file: URL, limits: FairLimits): FairThreads<T, A> {
  const idle = Array.from({ length: limits.threads }, () => ({
    warm: false,
    ask: taskThread<T | null, A>(name, () => threadApart(file, limits.memoryMib ?? 256)),
  }));
  /** Of each account that waits, what it waits for; the account that was served last is the last. */
  const waiting = new Map<string, (() => void)[]>();
  const busy = new Set<string>();
  const spent = new Map<string, { until: number; ended: number }>();
  const counts = { begun: 0, ended: 0, refused: 0 };

  const isSpent = (account: string): boolean => {
    const known = spent.get(account);
    return known !== undefined && known.until > performance.now() && known.ended >= ENDED_OF_ACCOUNT;
  };
  const spend = (account: string): void => {
    counts.ended += 1;
    if (spent.size >= MAX_ACCOUNTS) spent.clear();
    const known = spent.get(account);
    spent.set(account, known && known.until > performance.now() ? { ...known, ended: known.ended + 1 } : { until: performance.now() + WINDOW_MS, ended: 1 });
  };
  /** One piece of each account in turn: many of one account make no other wait for more than one. */
  const next = (): void => {
    for (const [account, line] of waiting) {
      if (idle.length === 0) return;
      const begin = busy.has(account) ? undefined : line.shift();
      if (!begin) continue;
      waiting.delete(account);
      if (line.length > 0) waiting.set(account, line);
      begin();
    }
  };

  async function run(account: string, task: T, within: number): Promise<A | undefined> {
    if (isSpent(account)) {
      counts.refused += 1;
      return undefined;
    }
    const lane = idle.pop();
    if (!lane) throw new Error('a piece was begun without a thread');
    busy.add(account);
    try {
      if (!lane.warm) await lane.ask(null, START_MS);
      lane.warm = true;
      counts.begun += 1;
      return await lane.ask(task, within);
    } catch (error) {
      // Also one that took all of the thread's memory; a thread that did not start is nobody's.
      if (lane.warm) spend(account);
      lane.warm = false; // the next piece starts a new thread
      if (!(error instanceof TookTooLong)) throw error;
      return undefined;
    } finally {
      busy.delete(account);
      idle.push(lane);
      next();
    }
  }

  async function ask(account: string, task: T, within = limits.pieceMs): Promise<A | undefined> {
    const line = waiting.get(account) ?? [];
    if (isSpent(account) || line.length >= limits.waitingOfAccount) {
      counts.refused += 1;
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<undefined>();
    let begun: Promise<A | undefined> | undefined;
    line.push(() => {
      begun = run(account, task, within);
      begun.catch(() => undefined); // awaited below
      resolve(undefined);
    });
    waiting.set(account, line);
    next();
    await promise;
    return await begun;
  }

  return { counts, isSpent, ask, tryAsk: (account, task) => ask(account, task).catch(() => undefined) };
}
