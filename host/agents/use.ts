// Whether an instance is in use: what came in and was not answered, and what the host itself asks of its
// agent.
import type { InstanceRecord } from './record.ts';
import type { Running } from './bring-up.ts';
import { LastUse } from '../resources/last-use.ts';

/** The host asks the agent whether it works, and waits this long. No answer counts as yes. */
const askTimeoutMs = 10_000;

export class Use {
  readonly #last: LastUse;
  /** The last bytes went in: an answer is due. */
  #unanswered = false;
  /** Questions of the host under way. */
  #asking = 0;

  constructor(record: InstanceRecord) {
    this.#last = new LastUse(record);
  }

  /** Now. */
  note(): void {
    this.#last.note();
  }

  bytes(direction: 'in' | 'out'): void {
    this.note();
    this.#unanswered = direction === 'in';
  }

  /** Its machine is gone, and what it was asked with it. */
  forget(): void {
    this.#unanswered = false;
  }

  /**
   * Milliseconds without use; 0 while the host asks something, or a request is in flight. `running`: where it
   * is awake.
   */
  idleMs(running: Running | undefined): number {
    if (this.#asking > 0) return 0;
    if (running !== undefined) {
      // A call whose run waits for a person is unanswered too, and no reason to stay awake; `works` makes
      // sure.
      const mayWait = running.link.quietAt > this.#last.at;
      if ((this.#unanswered && !mayWait) || running.link.busy > 0) return 0;
    }
    return this.#last.idleMs();
  }

  /**
   * Only the agent knows: a run may work on after its answer has begun, or after its caller left, and the
   * agent says that it is busy a second later. Put to sleep before, the run would stand still until the next
   * request.
   */
  async works({ link }: Running): Promise<boolean> {
    const since = this.#last.at;
    return this.whileAsking(async () => {
      try {
        if ((await link.working(askTimeoutMs)) > 0 || this.#last.at !== since) return true;
        this.#unanswered = false; // what it was asked waits, or its caller is gone
        return false;
      } catch {
        return true;
      }
    });
  }

  /** What the host does with the agent meanwhile counts as use. */
  async whileAsking<T>(work: () => Promise<T>): Promise<T> {
    this.#asking += 1;
    try {
      return await work();
    } finally {
      this.#asking -= 1;
    }
  }
}
