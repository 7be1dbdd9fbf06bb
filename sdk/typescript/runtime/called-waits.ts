// What the agents that a run calls ask of the person for whom all work. It is answered at the platform alone: who stands in between could change the
// answer, or put another question in its place. The caller of this run is told what to answer and where.
import { PlatformWaitPayload, QuestionPayload, ScopeRequestPayload } from '../../../contract/wire/events.ts';
import type { z } from 'zod';
import type { PendingRequests } from './pending.ts';

export type CalledWait = Omit<z.infer<typeof PlatformWaitPayload>, 'request_id'>;
export type PlatformWait = z.infer<typeof PlatformWaitPayload>;

/** Of one call: an agent that asks more is asked about at the platform. */
const MAX_OF_CALL = 20;

/** Undefined: the event asks nothing. It is another agent's, so nothing in it is believed beyond its shape. */
export function calledWaitOf(target: string, skill: string, { kind, payload }: { kind: string; payload: unknown }): CalledWait | undefined {
  if (kind === 'question') {
    const asked = QuestionPayload.safeParse(payload);
    return asked.data && { wait_id: asked.data.question_id, agent: target, skill, prompt: asked.data.prompt, expires_at: asked.data.expires_at };
  }
  if (kind === 'scope_request') {
    const asked = ScopeRequestPayload.safeParse(payload);
    return (
      asked.data && {
        wait_id: asked.data.request_id,
        agent: target,
        skill,
        prompt: `May it have more files? ${asked.data.reason}`,
        expires_at: asked.data.expires_at,
      }
    );
  }
  return kind === 'platform_wait' ? PlatformWaitPayload.omit({ request_id: true }).safeParse(payload).data : undefined;
}

/** Of one call. */
export class CalledWaits {
  readonly #pending: PendingRequests;
  readonly #run: { runId: string; id: (prefix: string) => string; send: (kind: string, payload: object) => Promise<void> };
  readonly #open = new Map<string, () => void>();

  constructor(pending: PendingRequests, run: { runId: string; id: (prefix: string) => string; send: (kind: string, payload: object) => Promise<void> }) {
    this.#pending = pending;
    this.#run = run;
  }

  asked(wait: CalledWait): void {
    if (this.#open.size >= MAX_OF_CALL || this.#open.has(wait.wait_id)) return;
    const payload: PlatformWait = { request_id: this.#run.id('pwt'), ...wait };
    const { forget } = this.#pending.add({ id: payload.request_id, kind: 'platform_wait', runId: this.#run.runId, payload });
    this.#open.set(wait.wait_id, forget);
    this.#run.send('platform_wait', payload).catch(() => undefined);
  }

  /** The called agent continues, or has ended. */
  over(): void {
    for (const forget of this.#open.values()) forget();
    this.#open.clear();
  }
}

/** For clients that show text. */
export function aboutWait({ agent, skill, prompt, wait_id }: PlatformWait): string {
  return `${agent}/${skill} asks: ${prompt}\n\nAnswer ${wait_id} at the platform (in the inbox, or with "svc answer ${wait_id}"), then continue.`;
}
