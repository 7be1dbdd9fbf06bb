// An activity that takes minutes: it heartbeats, hears a cancellation, and says by its error whether trying again can help.
import { ApplicationFailure, cancellationSignal, heartbeat } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import { RuntimeError } from '#drivers/runtime/port.ts';

const usuallyEveryMs = 2_000;

/** Runtime errors that are the user's to mend: no retry helps. */
const final = new Set(['build_failed', 'start_failed', 'startup_failed', 'unhealthy']);

/** What the worker is told more often than it tells the server (its `maxHeartbeatThrottleInterval`) is work for nothing. */
export async function longRunning<T>(work: (signal: AbortSignal) => Promise<T>, heartbeatEveryMs = usuallyEveryMs): Promise<T> {
  const signal = cancellationSignal();
  const beat = setInterval(() => heartbeat(), heartbeatEveryMs);
  try {
    return await work(signal);
  } catch (error) {
    if (signal.aborted) throw interrupted(signal.reason);
    throw error instanceof RuntimeError ? runtimeFailure(error) : error;
  } finally {
    clearInterval(beat);
  }
}

/** Nobody asked for the end of this work when its worker is what goes away: another one takes it up. */
function interrupted(reason: unknown): Error {
  if (reason instanceof CancelledFailure && reason.message === 'WORKER_SHUTDOWN') {
    return ApplicationFailure.retryable('The worker was stopped', 'WorkerShutdown');
  }
  return reason instanceof Error ? reason : new CancelledFailure('CANCELLED');
}

function runtimeFailure(error: RuntimeError): ApplicationFailure {
  return ApplicationFailure.create({ message: error.message, type: final.has(error.code) ? 'UserError' : 'RuntimeError', details: [error.code], cause: error });
}

/** A failure that only the agent's author can mend; never retried. */
export function userError(code: string, message: string): ApplicationFailure {
  return ApplicationFailure.create({ message, type: 'UserError', nonRetryable: true, details: [code] });
}
