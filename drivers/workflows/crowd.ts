// Updates of one workflow, a few at a time: a server that is sent more than it takes (ten) lets go of all of them, and may do so again and again.

/** Per process; several processes of the API together stay below the server's limit. */
const atOnce = 3;

interface Line {
  working: number;
  waiting: (() => void)[];
}

export interface Crowd {
  /** Runs `call` when it is `key`'s turn. Rejects with `late()` when that takes longer than `patienceMs`. */
  enter<T>(key: string, call: () => Promise<T>, patienceMs: number, late: () => Error): Promise<T>;
}

export function createCrowd(): Crowd {
  const lines = new Map<string, Line>();

  function leave(key: string, line: Line): void {
    const next = line.waiting.shift();
    if (next) return next();
    line.working -= 1;
    if (line.working === 0) lines.delete(key);
  }

  async function turn(line: Line, patienceMs: number, late: () => Error): Promise<void> {
    if (line.working < atOnce) return void (line.working += 1);
    await new Promise<void>((resolve, reject) => {
      const mine = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        line.waiting = line.waiting.filter((other) => other !== mine);
        reject(late());
      }, patienceMs);
      line.waiting.push(mine);
    });
  }

  return {
    async enter(key, call, patienceMs, late) {
      const line = lines.get(key) ?? { working: 0, waiting: [] };
      lines.set(key, line);
      await turn(line, patienceMs, late);
      try {
        return await call();
      } finally {
        leave(key, line);
      }
    },
  };
}
