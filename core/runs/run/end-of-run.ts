// How a durable run ended, from what its agent said last, or from why it was stopped.
import type { JobError } from '../../jobs/model.ts';
import { type Ending, failedWith, hashOf } from '../../agents/call/call.ts';
import { storable } from '../../storable.ts';
import type { AgentRunEvent } from './record.ts';

export interface RunEnd {
  state: 'succeeded' | 'failed' | 'cancelled';
  /** With succeeded; or its hash alone, where the caller has it and nobody else. */
  result?: unknown;
  outputSha256?: string;
  /** With failed and cancelled. */
  error?: JobError;
}

const maxMessage = 2_000;

/** `result` or `failed`; undefined for an event that ends nothing. */
export function endOf({ kind, payload }: Pick<AgentRunEvent, 'kind' | 'payload'>): RunEnd | undefined {
  if (kind === 'result') {
    const result = storable(payload['result'] ?? null);
    return hashOf(result) === undefined
      ? failure('bad_answer', 'The result is nested too deeply to be hashed for the receipt')
      : { state: 'succeeded', result };
  }
  if (kind !== 'failed') return undefined;
  const ending = failedWith(payload, 'skill_failed');
  if (ending.status === 'ok') return undefined;
  const error = { code: ending.errorCode, message: messageOf(payload) ?? 'The skill failed: the logs of its agent tell more' };
  return { state: ending.status === 'cancelled' ? 'cancelled' : 'failed', error };
}

export function failure(code: string, message: string): RunEnd {
  return { state: 'failed', error: { code, message } };
}

/** An agent's refusal before anything ran. */
export function refusalOf(status: number, body: unknown): RunEnd {
  const ending = failedWith(body, `http_${status}`);
  return failure(ending.status === 'ok' ? `http_${status}` : ending.errorCode, messageOf(body) ?? `The agent answered ${status}: its logs tell more`);
}

/** For the receipt. */
export function endingOfRun(end: RunEnd): Ending {
  if (end.state === 'succeeded') {
    const outputSha256 = end.outputSha256 ?? hashOf(end.result);
    return outputSha256 === undefined ? { status: 'error', errorCode: 'bad_answer' } : { status: 'ok', outputSha256 };
  }
  return { status: end.state === 'cancelled' ? 'cancelled' : 'error', errorCode: end.error?.code ?? 'internal' };
}

function messageOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('detail' in body)) return undefined;
  const { detail } = body;
  return typeof detail === 'object' && detail !== null && 'message' in detail && typeof detail.message === 'string'
    ? detail.message.slice(0, maxMessage)
    : undefined;
}
