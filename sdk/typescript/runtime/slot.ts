// A run's place among those that run, and its clock. Both are given up while it waits for a person: others
// run meanwhile, and the time it has (the skill's timeout, max_runtime_seconds) does not pass. Nor does it
// pass, within limits, while another run's code blocks the process.
import { after, type Timer } from './timer.ts';
import type { Gate, Place } from './gate.ts';

/**
 * A clock that strikes so much later than it should was held up by code that blocked the process, or by a
 * machine that stood still.
 */
const LATE_TIMER_MS = 250;
/** What a run is given back of that, once. */
const MAX_EXTENSION_MS = 5_000;
/** What is left of a run that is over may block the process for so long. */
const LEFTOVER_MS = 5_000;

export class Slot {
  readonly #gate: Gate;
  #place: Place | undefined;
  #timer: Timer | undefined;
  #returning: Promise<void> | undefined;
  #onTimeUp: (() => void) | undefined;
  #remainingMs = Number.POSITIVE_INFINITY;
  /** Of the clock that no change of the time of day moves; undefined while the clock stands. */
  #endsAt: number | undefined;
  /** It waits for a person, or is on its way back to a place. */
  #away = false;
  /** A call of it waits for a person. */
  #paused = false;
  #blocks = false;
  #cut = false;
  #givenBack = false;
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
    this.#endsAt = undefined;
  }

  /**
   * Milliseconds the run's code may still run, of which the process has been blocked for `blockedMs`. 0 or
   * less: it is to be ended.
   */
  left(blockedMs: number): number {
    if (!this.#onTimeUp) return LEFTOVER_MS - blockedMs;
    const left = this.#endsAt === undefined ? this.#remainingMs - blockedMs : this.#endsAt - performance.now();
    this.#blocks = left <= 0;
    return left;
  }

  /** The run's code was ended, for its time was up. */
  cut(): void {
    this.#cut = true;
    this.#onTimeUp?.();
  }

  /**
   * A call of the run waits for a person from here on: its clock stands. It keeps its place, since the call
   * is open: its machine must not sleep.
   */
  pause(): void {
    this.#paused = true;
    if (this.#endsAt !== undefined) this.#stand();
  }

  resume(): void {
    this.#paused = false;
    if (!this.#away && this.#endsAt === undefined) this.#runClock();
  }

  /** The run waits for a person from here on. */
  leave(): void {
    if (this.#away || !this.#onTimeUp) return;
    this.#away = true;
    if (this.#endsAt !== undefined) this.#stand();
    this.standAside();
  }

  get othersWait(): boolean {
    return this.#gate.queued > 0;
  }

  /** Gives the place to others; the clock goes on. */
  standAside(): void {
    if (this.#returning) return;
    this.#place?.release();
    this.#place = undefined;
  }

  /** The run continues; resolves when it has a place again. Two waits that end together return once. */
  enter(): Promise<void> {
    if (!this.#away || this.#returning || !this.#onTimeUp) return this.#returning ?? Promise.resolve();
    const place = this.#gate.reenter();
    this.#place = place;
    this.#returning = (place.ready ?? Promise.resolve()).then(() => {
      this.#returning = undefined;
      this.#away = false;
      if (this.#place === place && !this.#paused) this.#runClock();
    });
    return this.#returning;
  }

  /**
   * The end: nothing is waited for any more. `stillRunning` keeps the place for a grace, so that concurrency
   * means what it says.
   */
  end(stillRunning: Promise<unknown> | undefined, graceMs: number): void {
    this.stopClock();
    this.#onTimeUp = undefined;
    const place = this.#place;
    this.#place = undefined;
    if (!place) return;
    if (!stillRunning || this.#cut) return place.release();
    const timer = setTimeout(() => place.release(), graceMs);
    const settled = (): void => {
      clearTimeout(timer);
      place.release();
    };
    stillRunning.then(settled, settled);
  }

  #stand(): void {
    this.#remainingMs = Math.max(1, (this.#endsAt ?? 0) - performance.now());
    this.stopClock();
    this.deadline = Date.now() + this.#remainingMs;
  }

  #runClock(): void {
    const onTimeUp = this.#onTimeUp;
    if (!onTimeUp) return;
    this.deadline = Date.now() + this.#remainingMs;
    this.#endsAt = performance.now() + this.#remainingMs;
    this.#timer = after(this.#remainingMs, () => this.#strike(onTimeUp));
  }

  /**
   * A run that waited while another run's code blocked the process gets a short time to take what arrived for
   * it.
   */
  #strike(onTimeUp: () => void): void {
    const late = performance.now() - (this.#endsAt ?? 0);
    if (late < LATE_TIMER_MS || this.#blocks || this.#givenBack) return onTimeUp();
    this.#givenBack = true;
    this.#remainingMs = Math.min(late, MAX_EXTENSION_MS);
    this.#runClock();
  }
}
