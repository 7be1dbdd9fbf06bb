// Programs that a test file started and whose parent ended before them (a supervisor, what it supervises):
// their time is in no other process's. They are known by a variable of their environment, and looked at each
// second: what they use after the last look is not counted.
import { repository } from '#stack/setup/folders.mjs';
import { allTimes, environmentOf, treeSeconds } from './processor-time.ts';

/** The test file that runs, in the environment of what it starts. */
export const TEST_FILE = 'SVC_TEST_FILE';
const LOOK_MS = 1_000;

export class Orphans {
  readonly #files = new Map<number, string | undefined>();
  readonly #seconds = new Map<number, number>();
  #timer: NodeJS.Timeout | undefined;

  /** Again: nothing more. */
  start(): void {
    if (this.#timer) return;
    // Those of before are not ours.
    for (const [pid, { parent }] of allTimes()) if (parent === 1) this.#files.set(pid, undefined);
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#look();
  }

  /** Processor seconds by the path of the test file, until now. */
  byFile(): Map<string, number> {
    this.#look();
    const sums = new Map<string, number>();
    for (const [pid, seconds] of this.#seconds) {
      const file = this.#files.get(pid) ?? '';
      sums.set(file, (sums.get(file) ?? 0) + seconds);
    }
    return sums;
  }

  #look(): void {
    const times = allTimes();
    for (const [pid, { parent }] of times) {
      if (parent !== 1) continue;
      if (!this.#files.has(pid)) this.#files.set(pid, ofThisClone(environmentOf(pid, TEST_FILE)));
      if (this.#files.get(pid) !== undefined) this.#seconds.set(pid, Math.max(this.#seconds.get(pid) ?? 0, treeSeconds(times, pid)));
    }
  }
}

/** Other clones' tests may run at the same time. */
const ofThisClone = (file: string | undefined): string | undefined => (file?.startsWith(`${repository}/`) ? file : undefined);
