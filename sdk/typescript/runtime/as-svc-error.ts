import { RunLost, SkillInvocationError, SvcError } from '../authoring/errors.ts';
import type { BoundSkill } from '../authoring/declare.ts';
import { errorFields } from './log.ts';
import type { Run } from './run.ts';

/** What the caller may know. Details of the unexpected go to the log only. */
export function asSvcError(error: unknown, run: Run, bound: BoundSkill): SvcError {
  if (error instanceof SvcError) {
    if (error.status >= 500) run.ownLog.warn(error.message, { code: error.code });
    return error;
  }
  run.ownLog.error('skill failed', errorFields(error));
  if (error instanceof RunLost)
    return new SkillInvocationError(`the process that ran "${bound.id}" is gone, and the run with it; call it again`, { cause: error });
  return new SkillInvocationError(`skill "${bound.id}" failed: find the reason in the agent's log, request ${run.requestId}`, { cause: error });
}
