// The outcome of a durable run: from its agent's last event, or from why it was stopped.
import type { Fault } from '../../kernel/errors.ts';
import { agentErrorOf } from './agent-error.ts';
import { type Ending, hashOf } from '../call/call.ts';
import { storable } from '../../kernel/storable.ts';
import type { AgentRunEvent } from '../durable/record.ts';

export interface RunOutcome {
  state: 'succeeded' | 'failed' | 'cancelled';
  /** With succeeded; or its hash alone, where the caller has it and nobody else. */
  result?: unknown;
  outputSha256?: string;
  /** With failed and cancelled. */
  error?: Fault;
}

/** `result` or `failed`; undefined for an event that ends nothing. */
export function outcomeOf({ kind, payload }: Pick<AgentRunEvent, 'kind' | 'payload'>): RunOutcome | undefined {
  if (kind === 'result') {
    const result = storable(payload['result'] ?? null);
    return hashOf(result) === undefined
      ? failure('bad_answer', 'The result is nested too deeply to be hashed for the receipt')
      : { state: 'succeeded', result };
  }
  if (kind !== 'failed') return undefined;
  const error = agentErrorOf(payload) ?? { code: 'skill_failed', message: 'The skill failed: the logs of its agent tell more' };
  return { state: error.code === 'cancelled_by_caller' ? 'cancelled' : 'failed', error };
}

export function failure(code: string, message: string): RunOutcome {
  return { state: 'failed', error: { code, message } };
}

/** An agent's refusal before anything ran. */
export function refusalOf(status: number, body: unknown): RunOutcome {
  return { state: 'failed', error: agentErrorOf(body) ?? { code: `http_${status}`, message: `The agent answered ${status}: see its logs` } };
}

/** For the receipt. */
export function callEndingOf(end: RunOutcome): Ending {
  if (end.state === 'succeeded') {
    const outputSha256 = end.outputSha256 ?? hashOf(end.result);
    return outputSha256 === undefined ? { status: 'error', errorCode: 'bad_answer' } : { status: 'ok', outputSha256 };
  }
  return { status: end.state === 'cancelled' ? 'cancelled' : 'error', errorCode: end.error?.code ?? 'internal' };
}
