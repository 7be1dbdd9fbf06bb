// A person's decision, sent to the route of its kind: one decision, however often the connection breaks.
import { ApiError } from '#contract/client.ts';
import { send } from '../../api/client.ts';
import type { Waiting } from './waiting.ts';

/** `for`: the member whose delegate votes. */
export type Decision = { answer: unknown } | { decision: 'approve'; for?: string } | { decision: 'deny'; reason: string; for?: string };

/**
 * voted: votes of others are missing. closed: somebody decided before, its time is up, or the skill has
 * stopped asking. refused: it cannot be taken as it is.
 */
export type Outcome = { is: 'taken' } | { is: 'voted'; approved: number; need: number } | { is: 'closed' } | { is: 'refused'; says: string };

export type Post = (wait: Pick<Waiting, 'kind' | 'wait_id'>, decision: Decision, requestId: string) => Promise<unknown>;

const TRIES = 5;
const FIRST_PAUSE_MS = 400;

export interface Sending {
  post?: Post;
  pause?: (ms: number) => Promise<void>;
}

/**
 * Sent again under the same id until the API answers, which takes it once. @throws ApiError for what it
 * refuses, the last failure when it cannot be reached
 */
export async function sendDecision(wait: Pick<Waiting, 'kind' | 'wait_id'>, decision: Decision, requestId: string, how: Sending = {}): Promise<Outcome> {
  const { post = postDecision, pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms)) } = how;
  for (let tries = 1; ; tries += 1) {
    try {
      return outcomeOf(await post(wait, decision, requestId));
    } catch (error) {
      if (error instanceof ApiError && error.status === 409)
        return error.detail.code === 'wait_resolved' ? { is: 'closed' } : { is: 'refused', says: error.message };
      if (error instanceof ApiError && error.status === 410) return { is: 'closed' };
      if (tries === TRIES || !mayArrive(error)) throw error;
      await pause(FIRST_PAUSE_MS * 2 ** (tries - 1));
    }
  }
}

/** Of what several decide, the answer says how it stands. */
function outcomeOf(answer: unknown): Outcome {
  // Safe: an answer of the API, whose members are looked at one by one.
  const { state, approval } = Object(answer) as { state?: unknown; approval?: { approved?: unknown; need?: unknown } };
  if (state !== 'pending' || typeof approval?.approved !== 'number' || typeof approval.need !== 'number') return { is: 'taken' };
  return { is: 'voted', approved: approval.approved, need: approval.need };
}

/** It may have arrived, or may arrive next time. */
function mayArrive(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status >= 500 || error.status === 429;
}

const postDecision: Post = ({ kind, wait_id: id }, decision, requestId) => {
  const options = { headers: { 'x-request-id': requestId } };
  if ('answer' in decision) {
    const { answer } = decision;
    if (kind === 'input_request') return send('chat', 'giveInput', { params: { request_id: id }, body: { values: valuesOf(answer) } }, options);
    return send('chat', 'answerQuestion', { params: { question_id: id }, body: { answer: spoken(answer) } }, options);
  }
  const input = { params: { approval_id: id }, body: decision };
  return kind === 'scope_request' ? send('chat', 'decideScope', input, options) : send('chat', 'decideHandoff', input, options);
};

type Values = Record<string, unknown> | unknown[] | string | number | boolean;

/** A question takes words or the values of its form. */
export function spoken(answer: unknown): string | Record<string, unknown> {
  if (typeof answer === 'string') return answer;
  return isObject(answer) ? answer : (JSON.stringify(answer) ?? '');
}

function valuesOf(answer: unknown): Values {
  return typeof answer === 'string' || typeof answer === 'number' || typeof answer === 'boolean' || Array.isArray(answer) || isObject(answer) ? answer : {};
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
