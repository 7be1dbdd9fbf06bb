// Sees that a worker is held up: code of a handler keeps its loop from turning. Asked for while runs work in
// it and it says nothing.
import type { Log } from '../authoring/context.ts';
import type { WorkerLink } from './link.ts';

const LOOK_EVERY_MS = 1_000;
/** Blocked for so long, a worker is held up. */
const BLOCKED_AFTER_MS = 5_000;
/** Looks without an answer after which it is, too: then even the thread that answers cannot run. */
const BLOCKED_AFTER_LOOKS = 3;
const MAX_STACK = 16_000;
const ADVICE =
  'a handler blocks its worker: nothing else runs in that process. Await what takes long, or hand it to `await asyncio.to_thread(…)`; import at the top of the module';

export interface HoldupParts {
  link: WorkerLink;
  log: Log;
  /** Called at each look while it lasts; `answers`: the worker's thread does. */
  held: (answers: boolean) => Promise<void>;
}

export class Holdup {
  readonly #parts: HoldupParts;
  #timer: NodeJS.Timeout | undefined;
  #looking = false;
  #unanswered = 0;
  #reported = false;

  constructor(parts: HoldupParts) {
    this.#parts = parts;
    void parts.link.closed.then(() => this.#stop());
  }

  /** Something is to be done in the worker. */
  begin(): void {
    this.#timer ??= setInterval(() => void this.#look(), LOOK_EVERY_MS).unref();
  }

  async #look(): Promise<void> {
    const { link, log, held } = this.#parts;
    if (this.#looking) return;
    // A machine whose runs wait may sleep.
    if (!link.working) return this.#stop();
    this.#looking = true;
    try {
      const { watch } = link;
      if (!watch || performance.now() - link.heardAt < LOOK_EVERY_MS) return this.#over();
      const state = await watch.look();
      this.#unanswered = state ? 0 : this.#unanswered + 1;
      if (state ? state.blocked_ms < BLOCKED_AFTER_MS : this.#unanswered < BLOCKED_AFTER_LOOKS) return state ? this.#over() : undefined;
      if (!this.#reported) {
        this.#reported = true;
        const place = state && (await watch.look({ stack: true }));
        const of = place?.run === undefined ? {} : link.nameOf(place.run);
        log.warn(ADVICE, { code: 'worker_blocked', ...(state && { blocked_ms: state.blocked_ms }), ...of, stack: place?.stack?.slice(0, MAX_STACK) });
      }
      await held(state !== undefined);
    } finally {
      this.#looking = false;
    }
  }

  #over(): void {
    this.#unanswered = 0;
    this.#reported = false;
  }
  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#over();
  }
}
