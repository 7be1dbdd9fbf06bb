// Whether a call failed by the agent's own fault. Refusals of a caller (4xx) never are.
import type { Outcome } from './outcome.ts';

/** Errors that no author declares: the skill threw, or its process went away. */
const FAULTS: ReadonlySet<string> = new Set([
  'skill_invocation_error',
  'skill_failed',
  'internal_error',
  'stream_broken',
  'bad_answer',
  'bad_stream',
  'run_lost',
]);

/** Undefined: it did not fail, or not by the agent's own fault. */
export function faultIn(outcome: Outcome): string | undefined {
  return outcome.state === 'failed' && FAULTS.has(outcome.error.code) ? outcome.error.code : undefined;
}
