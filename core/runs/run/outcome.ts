// The outcome of a run: its final state with its result or its error.
import type { Fault } from '../../kernel/errors.ts';
import { storable } from '../../kernel/storable.ts';
import { agentErrorOf } from './agent-error.ts';
import { hashOf, hashOfReadable } from './hash.ts';

export type Outcome<E extends { code: string } = { code: string }> =
  /** `result`: where it is stored, too; only its caller may have it. */
  { state: 'succeeded'; outputSha256: string; result?: unknown; error?: undefined } | { state: 'failed' | 'cancelled'; error: E };

/** With words for who reads it later: of a durable run. */
export type RunOutcome = Outcome<Fault>;

export const CANCELLED_BY_CALLER = { state: 'cancelled', error: { code: 'cancelled_by_caller' } } as const satisfies Outcome;

export function succeeded(result: unknown): RunOutcome {
  // Half a character, which a caller can make an agent cut or repeat, has no canonical form: it counts as
  // readers show it, or who sends it would not be charged.
  const outputSha256 = hashOf(result) ?? hashOfReadable(result);
  return outputSha256 === undefined
    ? failedBecause('bad_answer', 'The result is nested too deeply to be hashed for the receipt')
    : { state: 'succeeded', outputSha256, result };
}

export function failed(code: string): Outcome {
  return { state: 'failed', error: { code } };
}

export function failedBecause(code: string, message: string): RunOutcome {
  return { state: 'failed', error: { code, message } };
}

/** Of a call whose agent answered with an error body, `{ detail: { code, message } }`. */
export function failedWith(body: unknown, fallbackCode: string): Outcome {
  const code = codeIn(body) ?? fallbackCode;
  return code === CANCELLED_BY_CALLER.error.code ? CANCELLED_BY_CALLER : { state: 'failed', error: { ...agentErrorOf(body), code } };
}

function codeIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('detail' in body)) return undefined;
  const { detail } = body;
  return typeof detail === 'object' && detail !== null && 'code' in detail && typeof detail.code === 'string' ? detail.code.slice(0, 128) : undefined;
}

/** In what the job of a run keeps as its output. */
export function resultIn(output: unknown): unknown {
  return typeof output === 'object' && output !== null && 'result' in output ? output.result : null;
}

/**
 * Of a durable run, from its agent's last event: `result` or `failed`; undefined for an event that ends
 * nothing.
 */
export function outcomeOf({ kind, payload }: { kind: string; payload: Record<string, unknown> }): RunOutcome | undefined {
  if (kind === 'result') return succeeded(storable(payload['result'] ?? null));
  if (kind !== 'failed') return undefined;
  const error = agentErrorOf(payload) ?? { code: 'skill_failed', message: 'The skill failed: see the logs of its agent' };
  return { state: error.code === 'cancelled_by_caller' ? 'cancelled' : 'failed', error };
}

/** Of a durable run that its agent refused before anything was executed. */
export function agentRefusal(status: number, body: unknown): RunOutcome {
  return { state: 'failed', error: agentErrorOf(body) ?? { code: `http_${status}`, message: `The agent answered ${status}: see its logs` } };
}
