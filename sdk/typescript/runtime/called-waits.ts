// What the agents that a run calls ask of the person for whom all work. Only the platform takes the answer: who stands in between could change the
// answer, or put another question in its place. The caller of this run is told what to answer and where.
import { PlatformWaitPayload, QuestionPayload, ScopeRequestPayload } from '../../../contract/wire/events.ts';
import type { z } from 'zod';
import type { WaitingParts } from './waiting.ts';

export type CalledWait = Omit<z.infer<typeof PlatformWaitPayload>, 'request_id'>;
export type PlatformWait = z.infer<typeof PlatformWaitPayload>;

/** Of one call: an agent that asks more is asked about at the platform. */
const MAX_OF_CALL = 20;

/** Undefined: the event asks nothing. It is another agent's, so nothing in it is believed beyond its shape. */
export function calledWaitOf(target: string, skill: string, { kind, payload }: { kind: string; payload: unknown }): CalledWait | undefined {
  if (kind === 'question') {
    const question = QuestionPayload.safeParse(payload);
    return question.data && { wait_id: question.data.question_id, agent: target, skill, prompt: question.data.prompt, expires_at: question.data.expires_at };
  }
  if (kind === 'scope_request') {
    const request = ScopeRequestPayload.safeParse(payload);
    return (
      request.data && {
        wait_id: request.data.request_id,
        agent: target,
        skill,
        prompt: `May it have more files? ${request.data.reason}`,
        expires_at: request.data.expires_at,
      }
    );
  }
  return kind === 'platform_wait' ? PlatformWaitPayload.omit({ request_id: true }).safeParse(payload).data : undefined;
}

/** Of one call. */
export class CalledWaits {
  readonly #run: Pick<WaitingParts, 'runId' | 'id' | 'pending' | 'send'>;
  readonly #shown = new Map<string, () => void>();

  constructor(run: Pick<WaitingParts, 'runId' | 'id' | 'pending' | 'send'>) {
    this.#run = run;
  }

  open(wait: CalledWait): void {
    if (this.#shown.size >= MAX_OF_CALL || this.#shown.has(wait.wait_id)) return;
    const payload: PlatformWait = { request_id: this.#run.id('pwt'), ...wait };
    const { forget } = this.#run.pending.add({ id: payload.request_id, kind: 'platform_wait', runId: this.#run.runId, payload });
    this.#shown.set(wait.wait_id, forget);
    this.#run.send('platform_wait', payload).catch(() => undefined);
  }

  /** The called agent continues, or has ended. */
  over(): void {
    for (const forget of this.#shown.values()) forget();
    this.#shown.clear();
  }
}

/** For clients that show text. */
export function aboutWait({ agent, skill, prompt, wait_id }: PlatformWait): string {
  return `${agent}/${skill} asks: ${prompt}\n\nAnswer ${wait_id} at the platform (in the inbox, or with "svc answer ${wait_id}"), then continue.`;
}
