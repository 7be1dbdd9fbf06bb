// What a called agent says of its waits is a hint. Its caller's time stands, and its caller's person is
// asked, only for those that the platform keeps.
import type { CalledWait } from '../../../contract/wire/events.ts';
import { after, type Timer } from '../runtime/timer.ts';

/** The platform hears of a wait about when the caller does. */
const FIRST_LOOK_MS = 100;
const LOOK_MS = 5_000;
/** Of one call: an agent that asks more often is looked at in the usual rounds. */
const MAX_HINTS = 20;

/** What the platform knows of a call. */
export interface KnownWaits {
  waits: boolean;
  /** What the person for whom the caller works is asked. */
  open: readonly CalledWait[];
}

export interface CallWaitsOptions {
  look: () => Promise<KnownWaits>;
  /** As of the last look. */
  known: (known: KnownWaits) => void;
}

const NONE: KnownWaits = { waits: false, open: [] };

/** Of one call. */
export class CallWaits {
  readonly #options: CallWaitsOptions;
  #said = false;
  #timer: Timer | undefined;
  #round = 0;
  #hints = 0;

  constructor(options: CallWaitsOptions) {
    this.#options = options;
  }

  said(waits: boolean): void {
    if (waits === this.#said) return;
    this.#said = waits;
    this.#round += 1;
    if (waits) return void this.#look(this.#round, FIRST_LOOK_MS);
    this.#timer?.cancel();
    this.#options.known(NONE);
  }

  /** It says that it asks something: worth a look before the next round. */
  asked(): void {
    if (!this.#said || this.#hints >= MAX_HINTS) return;
    this.#hints += 1;
    this.#timer?.cancel();
    this.#round += 1;
    void this.#look(this.#round, FIRST_LOOK_MS);
  }

  async #look(round: number, pauseMs: number): Promise<void> {
    // A platform that starts again changes nothing.
    const known = await this.#options.look().catch(() => undefined);
    if (round !== this.#round) return;
    if (known !== undefined) this.#options.known(known);
    this.#timer = after(pauseMs, () => void this.#look(round, Math.min(LOOK_MS, pauseMs * 2)));
  }
}
