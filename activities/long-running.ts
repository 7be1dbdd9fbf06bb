// An activity that takes minutes: it sends heartbeats, ends when it is cancelled, and its error states whether a retry can help.
import { ApplicationFailure, cancellationSignal, heartbeat } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import { DeploymentFault, ImageMissing } from '#core/agents/deployment/fault.ts';
import { isFinal, RuntimeError } from '#drivers/runtime/port.ts';

const usuallyEveryMs = 2_000;

/** The worker sends at most one heartbeat in its `maxHeartbeatThrottleInterval` to the server: more often is of no use. */
export async function longRunning<T>(work: (signal: AbortSignal) => Promise<T>, heartbeatEveryMs = usuallyEveryMs): Promise<T> {
  const signal = cancellationSignal();
  const beat = setInterval(() => heartbeat(), heartbeatEveryMs);
  try {
    return await work(signal);
  } catch (error) {
    if (signal.aborted) throw interrupted(signal.reason);
    if (error instanceof DeploymentFault) throw userError(error);
    if (error instanceof ImageMissing) throw ApplicationFailure.nonRetryable(error.message, error.name, 'image_gone');
    throw error instanceof RuntimeError ? runtimeFailure(error) : error;
  } finally {
    clearInterval(beat);
  }
}

/** When its worker shuts down, the work was not cancelled: another worker executes it again. */
function interrupted(reason: unknown): Error {
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
