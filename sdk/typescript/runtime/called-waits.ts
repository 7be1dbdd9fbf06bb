// What the agents that a run calls ask of the person for whom all work, as the platform keeps it. Only the
// platform takes the answer: who stands in between could change the answer, or put another question in its
// place. The caller of this run is told what to answer and where.
import type { z } from 'zod';
import { type CalledWait, MAX_CALLED_WAITS, type PlatformWaitPayload, type ScopeRequestPayload } from '../../../contract/wire/events.ts';
import type { WaitingParts } from './waiting.ts';

export type ScopeRequest = z.infer<typeof ScopeRequestPayload>;
export type PlatformWait = z.infer<typeof PlatformWaitPayload>;

/** Of one call. */
export class CalledWaits {
  readonly #run: Pick<WaitingParts, 'runId' | 'id' | 'pending' | 'send'>;
  readonly #shown = new Map<string, () => void>();

  constructor(run: Pick<WaitingParts, 'runId' | 'id' | 'pending' | 'send'>) {
    this.#run = run;
  }

  /** These are open now, and no others. */
  show(open: readonly CalledWait[]): void {
    const now = new Set(open.map(({ wait_id }) => wait_id));
    for (const [id, forget] of this.#shown) {
      if (now.has(id)) continue;
      forget();
      this.#shown.delete(id);
    }
    for (const wait of open.slice(0, MAX_CALLED_WAITS)) if (!this.#shown.has(wait.wait_id)) this.#open(wait);
  }

  #open(wait: CalledWait): void {
    const payload: PlatformWait = { request_id: this.#run.id('pwt'), ...wait };
    const { forget } = this.#run.pending.add({ id: payload.request_id, kind: 'platform_wait', runId: this.#run.runId, payload });
    this.#shown.set(wait.wait_id, forget);
    this.#run.send('platform_wait', payload).catch(() => undefined);
  }

  /** The called agent continues, or has ended. */
  over(): void {
    this.show([]);
  }
}

/** For clients that show text: a request for wider access to files, which only the platform decides. */
export function aboutAccess({ request_id: id, reason, read, write_prefix: prefix, mode }: ScopeRequest): string {
  const what = [...read.map((pattern) => `read ${pattern}`), ...(prefix === null ? [] : [`write below ${prefix}`])].join(', ') || mode;
  return `The agent asks for wider access to the workspace (${what}): ${reason}. Approve or deny request ${id} at the platform, then continue.`;
}

/** The same of what an agent that was called asks. */
export function aboutWait({ agent, skill, prompt, wait_id }: PlatformWait): string {
  return `${agent}/${skill} asks: ${prompt}\n\nAnswer ${wait_id} at the platform (in the inbox, or with "svc answer ${wait_id}"), then continue.`;
}
