import { MicroVmError, type MicroVmErrorCode } from './images/tools.ts';

/** The promise's outcome, or an error of that code once `ms` have gone by. */
export async function within<T>(ms: number, promise: Promise<T>, code: MicroVmErrorCode, text: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new MicroVmError(code, text)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Lets at most `size` pieces of work run at once, first come first served. */
export class Gate {
  #free: number;
  #waiting: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
