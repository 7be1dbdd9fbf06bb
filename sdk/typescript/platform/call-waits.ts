// What a called agent says of its waits is a hint. Its caller's time stands only while the platform knows of one that is open.
import { after, type Timer } from '../runtime/timer.ts';

/** The platform hears of a wait about when the caller does. */
const FIRST_LOOK_MS = 100;
const LOOK_MS = 5_000;

export interface CallWaitsOptions {
  /** Whether the platform knows of an open wait. */
  look: () => Promise<boolean>;
  /** It does, or no longer does. */
  waits: (now: boolean) => void;
}

/** Of one call. */
export class CallWaits {
  readonly #options: CallWaitsOptions;
  #said = false;
  #timer: Timer | undefined;
  #round = 0;

  constructor(options: CallWaitsOptions) {
    this.#options = options;
  }

  said(waits: boolean): void {
    if (waits === this.#said) return;
    this.#said = waits;
    this.#round += 1;
    if (waits) return void this.#look(this.#round, FIRST_LOOK_MS);
    this.#timer?.cancel();
    this.#options.waits(false);
  }

  async #look(round: number, pauseMs: number): Promise<void> {
    // A platform that starts again changes nothing.
    const known = await this.#options.look().catch(() => undefined);
    if (round !== this.#round) return;
    if (known !== undefined) this.#options.waits(known);
    this.#timer = after(pauseMs, () => void this.#look(round, Math.min(LOOK_MS, pauseMs * 2)));
  }
}
