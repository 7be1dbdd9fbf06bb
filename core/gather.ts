// Calls that come while others are under way go together: one round trip to the database for as many as gathered meanwhile.

export interface GatherOptions<I> {
  /** Batches under way at once. */
  flights: number;
  /** Calls in one batch. */
  most: number;
  /** A batch that weighs so much takes no more calls; where `weigh` is given. */
  mostWeight?: number;
  weigh?: (input: I) => number;
}

/** `work` resolves with one output for each input, in their order; when it rejects, each of its calls does. A call alone does not wait. */
export function gather<I, O>(work: (inputs: readonly I[]) => Promise<readonly O[]>, options: GatherOptions<I>): (input: I) => Promise<O> {
  let queue: { input: I; resolve: (output: O) => void; reject: (error: unknown) => void }[] = [];
  let flying = 0;
  let scheduled = false;

  function take(): typeof queue {
    const { most, mostWeight = Number.POSITIVE_INFINITY, weigh = () => 0 } = options;
    let count = 0;
    for (let weight = 0; count < Math.min(most, queue.length) && weight < mostWeight; count += 1) {
      const next = queue[count];
      if (next) weight += weigh(next.input);
    }
    const taken = queue.slice(0, count);
    queue = queue.slice(count);
    return taken;
  }

  async function fly(): Promise<void> {
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
    while (flying < options.flights && queue.length > 0) {
      flying += 1;
      void fly().finally(() => {
        flying -= 1;
        schedule();
      });
    }
  }

  /** Not at once: what one look at the sockets brought goes together. */
  function schedule(): void {
    if (scheduled || queue.length === 0 || flying >= options.flights) return;
    scheduled = true;
    setImmediate(begin);
  }

  return (input) =>
    new Promise<O>((resolve, reject) => {
      queue.push({ input, resolve, reject });
      schedule();
    });
}

/** One for each `owner` (a pool of connections), made when it is first asked for. */
export function oneEach<K extends WeakKey, V>(make: (owner: K) => V): (owner: K) => V {
  const made = new WeakMap<K, V>();
  return (owner) => {
    const known = made.get(owner) ?? make(owner);
    made.set(owner, known);
    return known;
  };
}
