// How a run ended, as the extension for tasks says it. A skill that fails completes with an error result;
// `failed` is for errors of the protocol.
import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import { MAX_TASK_SNAPSHOT } from '../../../../contract/run/protocol-tasks.ts';
import { CancelledByCaller, SvcError } from '../../authoring/errors.ts';
import type { AttendedRun } from './attended.ts';
import { failure, success } from './tools.ts';

export interface Outcome extends Record<string, unknown> {
  status: string;
}

/** No refusal, nor a skill's own error. */
export const BROKEN = { code: ProtocolErrorCode.InternalError, message: 'the run broke: find the reason in the agent’s log' } as const;

export function outcomeOf(run: AttendedRun, requestId: string): Outcome {
  try {
    return { status: 'completed', result: { ...success(run.result, run.artifacts, run.inline), resultType: 'complete' } };
  } catch (error) {
    if (error instanceof CancelledByCaller) return { status: 'cancelled' };
    if (error instanceof SvcError) return { status: 'completed', result: { ...failure(error, requestId), resultType: 'complete' } };
    return { status: 'failed', error: BROKEN };
  }
}

/** Its machine did not say. */
export function unknownOutcome(endedAs: 'succeeded' | 'failed' | 'cancelled'): Outcome {
  return endedAs === 'cancelled' ? { status: 'cancelled' } : errorOf('the run ended with its machine, and its result is not known');
}

/** Its machine has it, and no other one. */
export function tooLargeOutcome(): Outcome {
  return errorOf(`the result is too large to be stored beyond ${MAX_TASK_SNAPSHOT} bytes: call again, or let the skill write an artifact`);
}

function errorOf(text: string): Outcome {
  return { status: 'completed', result: { isError: true, content: [{ type: 'text', text }], resultType: 'complete' } };
}
