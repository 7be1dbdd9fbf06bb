// Joins calls that come while others are in progress into one round trip to the database.

export interface BatchOptions<I> {
  /** Batches at the same time. */
  maxConcurrent: number;
  /** Calls in one batch. */
  maxSize: number;
  /** A batch that reaches this weight is closed; needs `weigh`. */
  maxWeight?: number;
  weigh?: (input: I) => number;
  /** Calls of one key that wait at the same time are one, and have one output. */
  keyOf?: (input: I) => string;
}

/**
 * `work` resolves with one output for each input, in their order; when it rejects, each of its calls does. A
 * single call does not wait.
 */
export function batch<I, O>(work: (inputs: readonly I[]) => Promise<readonly O[]>, options: BatchOptions<I>): (input: I) => Promise<O> {
  const { maxSize, maxWeight = Number.POSITIVE_INFINITY, weigh = () => 0, keyOf } = options;
  let queue: { input: I; key: string | undefined; weight: number; resolve: (output: O) => void; reject: (error: unknown) => void }[] = [];
  /** By key, outputs of calls in the queue. */
  const waiting = new Map<string, Promise<O>>();
  let active = 0;
  let scheduled = false;

  function take(): typeof queue {
    let count = 0;
    for (let weight = 0; count < Math.min(maxSize, queue.length) && weight < maxWeight; count += 1) weight += queue[count]?.weight ?? 0;
    const taken = queue.slice(0, count);
    queue = queue.slice(count);
    for (const { key } of taken) if (key !== undefined) waiting.delete(key);
    return taken;
  }

  async function execute(): Promise<void> {
    const calls = take();
    try {
      const outputs = await work(calls.map(({ input }) => input));
      if (outputs.length !== calls.length) throw new Error(`${outputs.length} outputs for ${calls.length} calls`);
      for (const [index, output] of outputs.entries()) calls[index]?.resolve(output);
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  }

  function begin(): void {
    scheduled = false;
    while (active < options.maxConcurrent && queue.length > 0) {
      active += 1;
      void execute().finally(() => {
        active -= 1;
        schedule();
      });
    }
  }

  /** In the next round of the event loop: calls of one round share a batch. */
  function schedule(): void {
    if (scheduled || queue.length === 0 || active >= options.maxConcurrent) return;
    scheduled = true;
    setImmediate(begin);
  }

  return (input) => {
    const key = keyOf?.(input);
    const known = key === undefined ? undefined : waiting.get(key);
    if (known) return known;
    const output = new Promise<O>((resolve, reject) => {
      queue.push({ input, key, weight: weigh(input), resolve, reject });
      schedule();
    });
    if (key !== undefined) waiting.set(key, output);
    return output;
  };
}

/**
 * `make`, called once for each key (a pool of connections); a key that is collected takes its value with it.
 */
export function memoizeByKey<K extends WeakKey, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, V>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}
