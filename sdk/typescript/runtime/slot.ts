// A run's place among those that run, and its clock. Both are given up while it waits for a person: others run meanwhile, and the time it has
// (the skill's timeout, max_runtime_seconds) does not pass.
import { after, type Timer } from './timer.ts';
import type { Gate, Place } from './gate.ts';

export class Slot {
  readonly #gate: Gate;
  #place: Place | undefined;
  #timer: Timer | undefined;
  #returning: Promise<void> | undefined;
  #onTimeUp: (() => void) | undefined;
  #remainingMs = Number.POSITIVE_INFINITY;
  /** Milliseconds since the epoch; while the run waits for a person: if it were answered now. */
  deadline = Number.POSITIVE_INFINITY;

  /** @throws AgentBusy */
  constructor(gate: Gate) {
    this.#gate = gate;
    this.#place = gate.reserve();
  }

  /** Undefined: the place is there at once. */
  get ready(): Promise<void> | undefined {
    return this.#place?.ready;
  }

  startClock(ms: number, onTimeUp: () => void): void {
    this.#remainingMs = ms;
    this.#onTimeUp = onTimeUp;
    this.#runClock();
  }

  stopClock(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** The run waits for a person from here on. */
  leave(): void {
    if (!this.#place || !this.#onTimeUp) return;
    this.stopClock();
    this.#remainingMs = Math.max(1, this.deadline - Date.now());
    this.#place.release();
    this.#place = undefined;
  }

  /** The run goes on; resolves when it has a place again. Two waits that end together return once. */
  enter(): Promise<void> {
    if (this.#place || !this.#onTimeUp) return this.#returning ?? Promise.resolve();
    const place = this.#gate.reenter();
    this.#place = place;
    this.#returning = (place.ready ?? Promise.resolve()).then(() => {
      this.#returning = undefined;
      if (this.#place === place) this.#runClock();
    });
    return this.#returning;
  }

  /** The end: nothing is waited for any more. `stillRunning` keeps the place for a grace, so that concurrency means what it says. */
  end(stillRunning: Promise<unknown> | undefined, graceMs: number): void {
    this.stopClock();
    this.#onTimeUp = undefined;
    const place = this.#place;
    this.#place = undefined;
    if (!place) return;
    if (!stillRunning) return place.release();
    const timer = setTimeout(() => place.release(), graceMs);
    const settled = (): void => {
      clearTimeout(timer);
      place.release();
    };
    stillRunning.then(settled, settled);
  }

  #runClock(): void {
    const onTimeUp = this.#onTimeUp;
    if (!onTimeUp) return;
    this.deadline = Date.now() + this.#remainingMs;
    this.#timer = after(this.#remainingMs, onTimeUp);
  }
}
