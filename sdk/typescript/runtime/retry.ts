// Retries a skill that declares maxRetries after transient failures, in the same run, with growing delays.
import { setTimeout as sleep } from 'node:timers/promises';
import { retryDelayMs } from '../../../contract/wire/backoff.ts';
import { CallFailed, SandboxUnavailable, SvcError } from '../authoring/errors.ts';
import { errorFields } from './log.ts';
import type { Run } from './run.ts';

/** The handler's result. @throws what the last attempt threw, or why the run was stopped */
export async function withRetries(run: Run, retries: number, attempt: () => Promise<unknown>): Promise<unknown> {
  for (let retry = 1; ; retry += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (retry > retries || run.stopped || !mayPass(error)) throw error;
      const waitMs = retryDelayMs(retry);
      run.ownLog.warn('skill failed, trying again', { ...errorFields(error), retry, retries, wait_ms: waitMs });
      await run.send('progress', { message: `failed; trying again in ${(waitMs / 1000).toFixed(1)} s (retry ${retry} of ${retries})` });
      await sleep(waitMs, undefined, { signal: run.signal }).catch(() => run.checkCancelled());
      run.checkCancelled();
    }
  }
}

/**
 * A refusal is an answer, and the same next time: bad arguments, missing scopes or secrets, a result that
 * does not fit. A failure may be over.
 */
function mayPass(error: unknown): boolean {
  if (!(error instanceof SvcError)) return true;
  if (error instanceof CallFailed) return error.calleeStatus === 0 || error.calleeStatus === 429 || error.calleeStatus >= 500;
  if (error instanceof SandboxUnavailable) return true;
  // Thrown by the skill as a failure; or the platform was away (`not_available`, 502).
  return error.status >= 500 && (error.code === 'skill_invocation_error' || (error.code === 'not_available' && error.status === 502));
}
