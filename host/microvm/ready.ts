// Processes started before they are needed: a suspended machine wakes in one of them without waiting for its
// start. At most `limit` are kept; the one kept longest gives way. A process is started for one machine, maps
// only that machine's files and has run nothing of them.

interface ReadyProcess<T> {
  /** Waits for its turn; only then is it started. */
  state: 'waiting' | 'started' | 'unwanted';
  process: Promise<T | undefined>;
  /** Set once it was given up: resolves when it has ended. */
  ended?: Promise<void>;
}

export class ReadyProcesses<T> {
  #limit: number;
  #end: (process: T) => Promise<void>;
  #kept = new Map<object, ReadyProcess<T>>();
  #line: Promise<unknown> = Promise.resolve();

  /** `end` ends an unused process. */
  constructor(limit: number, end: (process: T) => Promise<void>) {
    this.#limit = limit;
    this.#end = end;
  }

  /**
   * Starts one for that machine, in the background and one after the other. One that fails to start is none.
   */
  offer(machine: object, start: () => Promise<T>): void {
    if (this.#limit === 0 || this.#kept.has(machine)) return;
    const waiting = [...this.#kept].filter(([, { ended }]) => ended === undefined);
    const [oldest] = waiting;
    if (oldest !== undefined && waiting.length >= this.#limit) void this.drop(oldest[0]);
    const entry: ReadyProcess<T> = { state: 'waiting', process: Promise.resolve(undefined) };
    const begin = async (): Promise<T | undefined> => {
      if (entry.state === 'unwanted') return undefined;
      entry.state = 'started';
      return start();
    };
    entry.process = this.#line.then(begin).catch(() => undefined);
    this.#line = entry.process;
    this.#kept.set(machine, entry);
  }

  /**
   * That machine's process, from now on the caller's; undefined when there is none, and none on its way
   * either.
   */
  async take(machine: object): Promise<T | undefined> {
    const entry = this.#kept.get(machine);
    if (entry === undefined) return undefined;
    if (entry.ended !== undefined) {
      await entry.ended;
      return undefined;
    }
    this.#kept.delete(machine);
    if (entry.state === 'started') return entry.process;
    entry.state = 'unwanted'; // the machine's own start is not to wait for others'
    return undefined;
  }

  /** Ends that machine's process, if there is one. */
  async drop(machine: object): Promise<void> {
    const entry = this.#kept.get(machine);
    if (entry === undefined) return;
    entry.ended ??= this.#giveUp(machine, entry);
    await entry.ended;
  }

  /** Ends them all and starts none after that. */
  async close(): Promise<void> {
    this.#limit = 0;
    await Promise.all([...this.#kept.keys()].map((machine) => this.drop(machine)));
  }

  async #giveUp(machine: object, kept: ReadyProcess<T>): Promise<void> {
    if (kept.state === 'waiting') kept.state = 'unwanted';
    const started = await kept.process;
    if (started !== undefined) await this.#end(started).catch(() => undefined);
    this.#kept.delete(machine);
  }
}
