// What runs of this agent wait for: questions a person answers, scope requests the platform decides. What
// brings the outcome (the platform's POST, an MCP or A2A client, a test) settles it here; the first outcome
// stays.
import type { Grant } from '../../../contract/wire/grant.ts';

/**
 * The platform decides many scope requests at once: so long, in milliseconds, the client need not hear of
 * them.
 */
export const QUICK_DECISION_MS = 300;

/** A grant and the token it came in. */
export interface GrantWithToken {
  grant: Grant;
  token: string;
}

/** `platform`: the platform has the answer, too; `caller`: only this process has it. */
export type AnsweredBy = 'platform' | 'caller';

export type Outcome =
  | { state: 'answered'; answer: string; by?: AnsweredBy }
  /** By the caller's person. */
  | { state: 'declined' }
  | { state: 'approved'; held: GrantWithToken }
  /** A call that was held may be made. */
  | { state: 'allowed' }
  | { state: 'denied'; reason: string }
  | { state: 'expired' };

export interface PendingRequest {
  /** `qst_…`, `inr_…`, `scr_…`, `hof_…` or `pwt_…`. */
  id: string;
  kind: 'question' | 'question_of_others' | 'scope_request' | 'handoff' | 'platform_wait';
  runId: string;
  /** As the event of its kind carries it. */
  payload: Readonly<Record<string, unknown>>;
}

interface Entry {
  request: PendingRequest;
  settle: (outcome: Outcome) => void;
}

export class PendingRequests {
  readonly #open = new Map<string, Entry>();
  readonly #verify: (token: string) => Grant;

  /** @param verify throws GrantInvalid */
  constructor(verify: (token: string) => Grant) {
    this.#verify = verify;
  }

  /** Oldest first; of one run, or of all. */
  open(runId?: string): readonly PendingRequest[] {
    const all = [...this.#open.values()].map((entry) => entry.request);
    return runId === undefined ? all : all.filter((request) => request.runId === runId);
  }

  /** False when no such question is open (any more). */
  answer(questionId: string, answer: string, by: AnsweredBy = 'caller'): boolean {
    const kind = by === 'platform' && this.#has(questionId, 'question_of_others') ? 'question_of_others' : 'question';
    return this.#settle(questionId, kind, { state: 'answered', answer, by });
  }

  /** The caller's person does not answer. False when no such question is open. */
  decline(questionId: string): boolean {
    return this.#settle(questionId, 'question', { state: 'declined' });
  }

  /** False when no such scope request is open. @throws GrantInvalid for a token that is not for this agent */
  resolveScope(requestId: string, outcome: { token: string } | { denied: string }): boolean {
    if (!this.#has(requestId, 'scope_request')) return false;
    if ('denied' in outcome) return this.#settle(requestId, 'scope_request', { state: 'denied', reason: outcome.denied });
    const grantWithToken = { token: outcome.token, grant: this.#verify(outcome.token) };
    return this.#settle(requestId, 'scope_request', { state: 'approved', held: grantWithToken });
  }

  /** False when no such call is held. */
  resolveHandoff(id: string, outcome: 'allowed' | { denied: string }): boolean {
    return this.#settle(id, 'handoff', outcome === 'allowed' ? { state: 'allowed' } : { state: 'denied', reason: outcome.denied });
  }

  expire(id: string): boolean {
    const entry = this.#open.get(id);
    return entry !== undefined && this.#settle(id, entry.request.kind, { state: 'expired' });
  }

  /** For the run: `outcome` resolves with the answer; call `forget` when it is no longer needed. */
  add(request: PendingRequest): { outcome: Promise<Outcome>; forget: () => void } {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#open.set(request.id, { request, settle: resolve });
    return { outcome: promise, forget: () => void this.#open.delete(request.id) };
  }

  #has(id: string, kind: PendingRequest['kind']): boolean {
    return this.#open.get(id)?.request.kind === kind;
  }

  #settle(id: string, kind: PendingRequest['kind'], outcome: Outcome): boolean {
    const entry = this.#open.get(id);
    if (entry?.request.kind !== kind) return false;
    this.#open.delete(id);
    entry.settle(outcome);
    return true;
  }
}
