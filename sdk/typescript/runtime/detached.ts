// Runs that continue without the connection that started them. Each keeps its events until the last one was
// read, or for an hour.
import type { SvcError } from '../authoring/errors.ts';
import type { EventLog } from './event-log.ts';

const RETENTION_MS = 3_600_000;
/** A reader that broke off while it took the last event may come again for so long. */
const TAKEN_RETENTION_MS = 60_000;
/** Of runs that ended; the oldest go first. */
const MAX_ENDED = 256;
const MAX_ENDED_BYTES = 64 * 1024 * 1024;
/**
 * Ids of runs that are not kept any more: a late question gets the answer that they ran, and none runs a
 * second time.
 */
const MAX_REMEMBERED = 8192;

export interface DetachedRun {
  runId: string;
  requestId: string;
  skill: string;
  log: EventLog;
  stop(reason?: SvcError): void;
}

export class DetachedRuns {
  readonly #runs = new Map<string, DetachedRun>();
  readonly #ended = new Map<string, NodeJS.Timeout>();
  readonly #gone = new Set<string>();
  /** The greatest id that is not even remembered; ids grow with time. */
  #beyond = '';

  get(runId: string): DetachedRun | undefined {
    return this.#runs.get(runId);
  }

  /** It ran here, or was cancelled before it came: it must not begin. */
  isOver(runId: string): boolean {
    return this.#gone.has(runId);
  }

  /** It may have run here. */
  mayHaveRun(runId: string): boolean {
    return this.#gone.has(runId) || runId <= this.#beyond;
  }

  /** Cancelled before it came. */
  refuse(runId: string): void {
    this.#gone.add(runId);
    for (const oldest of this.#gone) {
      if (this.#gone.size <= MAX_REMEMBERED) return;
      this.#gone.delete(oldest);
      if (oldest > this.#beyond) this.#beyond = oldest;
    }
  }

  add(run: DetachedRun): void {
    this.#runs.set(run.runId, run);
  }

  /** The run has ended: it is forgotten in an hour, or when room is needed. */
  ended(run: DetachedRun): void {
    this.#keep(run, run.log.taken ? TAKEN_RETENTION_MS : RETENTION_MS);
    let bytes = 0;
    for (const id of this.#ended.keys()) bytes += this.#runs.get(id)?.log.bytes ?? 0;
    for (const id of this.#ended.keys()) {
      if (this.#ended.size <= MAX_ENDED && bytes <= MAX_ENDED_BYTES) return;
      bytes -= this.#runs.get(id)?.log.bytes ?? 0;
      this.#forget(id);
    }
  }

  /** It ended with its caller, so its events are not needed. */
  drop(run: DetachedRun): void {
    this.#runs.delete(run.runId);
  }

  /** A reader went; if it had everything, the run need not be kept long. */
  readerLeft(run: DetachedRun): void {
    if (run.log.taken && this.#ended.has(run.runId)) this.#keep(run, TAKEN_RETENTION_MS);
  }

  forgetAll(): void {
    for (const id of this.#ended.keys()) this.#forget(id);
  }

  #keep(run: DetachedRun, ms: number): void {
    clearTimeout(this.#ended.get(run.runId));
    this.#ended.set(run.runId, setTimeout(() => this.#forget(run.runId), ms).unref());
  }

  #forget(runId: string): void {
    clearTimeout(this.#ended.get(runId));
    this.#ended.delete(runId);
    this.#runs.delete(runId);
    this.refuse(runId);
  }
}
