// Runs whose clients went to fetch an answer. A run lives on its own clock (the question's timeout); here is
// only how to find it again.
import type { AttendedRun } from './attended.ts';

/** Beyond that the oldest cannot be found again; they end by their own timeouts. */
const MAX_RETAINED = 1000;
/** Of these as many may be tasks, which stay: questions always find room. */
const MAX_TASKS = 500;
/** A client may come for the result this long after the run has ended. */
const ENDED_RETENTION_MS = 10 * 60_000;
/** A task is there for at least so long from its beginning; one that waits, for as long as it waits. */
export const TASK_RETENTION_MS = 3_600_000;

/** From its end on. */
export function retentionMs({ isTask, createdAt }: Pick<AttendedRun, 'isTask' | 'createdAt'>): number {
  return Math.max(ENDED_RETENTION_MS, isTask ? Date.parse(createdAt) + TASK_RETENTION_MS - Date.now() : 0);
}

export class RetainedRuns {
  readonly #runs = new Map<string, AttendedRun>();

  get roomForTask(): boolean {
    return [...this.#runs.values()].filter(({ isTask }) => isTask).length < MAX_TASKS;
  }

  hold(runId: string, run: AttendedRun): void {
    if (this.#runs.has(runId)) return;
    if (this.#runs.size >= MAX_RETAINED) {
      const [oldest] = [...this.#runs].find(([, { isTask }]) => !isTask) ?? [];
      if (oldest !== undefined) this.#runs.delete(oldest);
    }
    this.#runs.set(runId, run);
    void run.done.then(() => {
      setTimeout(() => this.release(runId, run), retentionMs(run)).unref();
    });
  }

  /** Undefined, too, for the run of another caller: callers do not learn of others' runs. */
  get(runId: string, owner: string): AttendedRun | undefined {
    const run = this.#runs.get(runId);
    return run?.owner === owner ? run : undefined;
  }

  release(runId: string, run: AttendedRun): void {
    if (this.#runs.get(runId) === run) this.#runs.delete(runId);
  }

  /** Those of one caller that have not ended, by their ids. */
  ofOwner(owner: string): string[] {
    return [...this.#runs].filter(([, run]) => run.owner === owner).map(([id]) => id);
  }
}
