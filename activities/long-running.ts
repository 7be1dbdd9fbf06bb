// An activity that takes minutes: it sends heartbeats, ends when it is cancelled, and its error states
// whether a retry can help.
import { ApplicationFailure, cancellationSignal } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import { DeploymentFault, ImageMissing } from '#core/agents/agent/deployment-fault.ts';
import { isFinal, RuntimeError } from '#drivers/runtime/port.ts';
import { beat } from './attempts.ts';

export interface Pace {
  heartbeatEveryMs?: number;
  /**
   * For work that reports progress: without any for so long the attempt fails. Absent: its heartbeats only
   * show that the worker lives.
   */
  silentForMs?: number;
}

const usuallyEveryMs = 2_000;

/**
 * The worker sends at most one heartbeat in its `maxHeartbeatThrottleInterval` to the server: more often is
 * of no use.
 */
export async function longRunning<T>(work: (signal: AbortSignal, progress: () => void) => Promise<T>, pace: Pace = {}): Promise<T> {
  const { heartbeatEveryMs = usuallyEveryMs, silentForMs } = pace;
  const cancelled = cancellationSignal();
  const silence = new AbortController();
  const silent = Promise.withResolvers<never>();
  const stop = (): void => {
    const error = ApplicationFailure.retryable(`No progress in ${Math.round((silentForMs ?? 0) / 1000)} seconds`, 'NoProgress');
    silence.abort(error);
    silent.reject(error);
  };
  let late: NodeJS.Timeout | undefined;
  const progress = (): void => {
    clearTimeout(late);
    if (silentForMs !== undefined) late = setTimeout(stop, silentForMs);
  };
  progress();
  const beating = setInterval(beat, heartbeatEveryMs);
  try {
    // Work that hears no signal either is left behind.
    return await Promise.race([work(AbortSignal.any([cancelled, silence.signal]), progress), silent.promise]);
  } catch (error) {
    if (cancelled.aborted) throw interrupted(cancelled.reason);
    if (silence.signal.aborted) throw silence.signal.reason;
    if (error instanceof DeploymentFault) throw userError(error);
    if (error instanceof ImageMissing) throw ApplicationFailure.nonRetryable(error.message, error.name, 'image_gone');
    throw error instanceof RuntimeError ? runtimeFailure(error) : error;
  } finally {
    clearInterval(beating);
    clearTimeout(late);
  }
}

/** When its worker shuts down, the work was not cancelled: another worker executes it again. */
export function interrupted(reason: unknown): Error {
  if (reason instanceof CancelledFailure && reason.message === 'WORKER_SHUTDOWN') {
    return ApplicationFailure.retryable('The worker was stopped', 'WorkerShutdown');
  }
  return reason instanceof Error ? reason : new CancelledFailure('CANCELLED');
}

function runtimeFailure(error: RuntimeError): ApplicationFailure {
  return ApplicationFailure.create({ message: error.message, type: isFinal(error) ? 'UserError' : 'RuntimeError', details: [error.code], cause: error });
}

/** Never retried. */
function userError({ code, message }: DeploymentFault): ApplicationFailure {
  return ApplicationFailure.create({ message, type: 'UserError', nonRetryable: true, details: [code] });
}
