// One process that is started ahead of its work, where a program takes long to load: it has loaded what is
// always the same, and waits.
import type { ChildProcess } from 'node:child_process';

export class Spare<Of> {
  readonly #start: (of: Of) => ChildProcess;
  readonly #keyOf: (of: Of) => string;
  readonly #end: (child: ChildProcess) => void;
  #kept: { key: string; child: ChildProcess } | undefined;
  #later: NodeJS.Timeout | undefined;

  /** `keyOf`: what must be the same for a process to be the right one. */
  constructor(start: (of: Of) => ChildProcess, keyOf: (of: Of) => string, end = (child: ChildProcess): void => void child.kill('SIGKILL')) {
    this.#start = start;
    this.#keyOf = keyOf;
    this.#end = end;
  }

  /**
   * Keeps a spare for the next `take` of the same. `afterMs`: start it after this time without another
   * `keep`.
   */
  keep(of: Of, afterMs = 0): void {
    clearTimeout(this.#later);
    if (afterMs > 0) {
      this.#later = setTimeout(() => this.keep(of), afterMs).unref();
      return;
    }
    const key = this.#keyOf(of);
    if (this.#kept?.key === key && isWell(this.#kept.child)) return;
    this.drop();
    this.#kept = { key, child: this.#start(of) };
    // One that cannot be started is found out when it is taken.
    this.#kept.child.once('error', () => undefined);
  }

  /** The one that was kept; undefined: none, or it was of something else. */
  take(of: Of): ChildProcess | undefined {
    const spare = this.#kept;
    if (spare?.key !== this.#keyOf(of)) return undefined;
    this.#kept = undefined;
    return isWell(spare.child) ? spare.child : undefined;
  }

  drop(): void {
    clearTimeout(this.#later);
    if (this.#kept) this.#end(this.#kept.child);
    this.#kept = undefined;
  }
}

const isWell = ({ pid, exitCode, signalCode }: ChildProcess): boolean => pid !== undefined && exitCode === null && signalCode === null;
