// A few updates of one workflow at a time: a server that receives more than it accepts (ten) drops all of
// them, and may do so again. Not p-limit: a caller whose time is over could not leave its queue.

/** For each process; several processes of the API together stay below the server's limit. */
const MAX_CONCURRENT = 3;

interface Queue {
  active: number;
  waiting: (() => void)[];
}

export interface KeyedLimiter {
  /**
   * Executes `call` once fewer than three of `key` are active. Rejects with `timeoutError()` when that takes
   * longer than `acquireTimeoutMs`.
   */
  run<T>(key: string, call: () => Promise<T>, acquireTimeoutMs: number, timeoutError: () => Error): Promise<T>;
}

export function createKeyedLimiter(): KeyedLimiter {
  const queues = new Map<string, Queue>();

  function release(key: string, queue: Queue): void {
    const next = queue.waiting.shift();
    if (next) return next();
    queue.active -= 1;
    if (queue.active === 0) queues.delete(key);
  }

  async function acquire(queue: Queue, acquireTimeoutMs: number, timeoutError: () => Error): Promise<void> {
    if (queue.active < MAX_CONCURRENT) return void (queue.active += 1);
    await new Promise<void>((resolve, reject) => {
      const admit = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        queue.waiting = queue.waiting.filter((other) => other !== admit);
        reject(timeoutError());
      }, acquireTimeoutMs);
      queue.waiting.push(admit);
    });
  }

  return {
    async run(key, call, acquireTimeoutMs, timeoutError) {
      const queue = queues.get(key) ?? { active: 0, waiting: [] };
      queues.set(key, queue);
      await acquire(queue, acquireTimeoutMs, timeoutError);
      try {
        return await call();
      } finally {
        release(key, queue);
      }
    },
  };
}
