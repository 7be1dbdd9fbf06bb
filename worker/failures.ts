// Which failures of an activity are tried again. What cannot come right by trying again ends at once; the
// work's own failures are counted, up to what the table of activities allows; a worker that stops, is killed
// or loses the database is no failure of the work.
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { z } from 'zod';
import { attempts, beat } from '#activities/attempts.ts';
import { AgentFailed, BadGateway, DomainError, GatewayTimeout, PlatformFailed, TooManyRequests, Unavailable } from '#core/kernel/errors.ts';
import { isOutage } from '#core/kernel/outage.ts';
import { placeOf } from '#workflows/queues.ts';

/** Another part is away, or busy: it may answer later. */
const PASSING = [AgentFailed, PlatformFailed, BadGateway, Unavailable, GatewayTimeout, TooManyRequests];
const PROGRAMMING = [TypeError, RangeError, ReferenceError];
/**
 * Attempts that ended without a word of the work. Work that takes its worker with it would do so for ever.
 */
const MOST_LOST = 20;

/** @param allowed how often the work of an activity may fail; undefined: as often as its workflow lets it */
export function endRetries(allowed = (activity: string): number | undefined => placeOf(activity)?.failures): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const counts = attempts();
        const most = allowed(info.activityType);
        if (most !== undefined && info.attempt - 1 - counts.failed - counts.waited >= MOST_LOST)
          throw ApplicationFailure.nonRetryable(`Its worker was lost ${MOST_LOST} times`, 'WorkersLost');
        try {
          return await next(input);
        } catch (error) {
          if (isInterruption(error)) throw error;
          if (!mayPass(error)) throw final(error);
          counts.failed += 1;
          if (most !== undefined && counts.failed >= most) throw final(error);
          // The server learns of the count with the failure.
          beat();
          throw error;
        }
      },
    },
  });
}

/** Whether trying again may help. */
export function mayPass(error: unknown): boolean {
  if (error instanceof ApplicationFailure) return error.nonRetryable !== true;
  if (error instanceof DomainError) return PASSING.some((passing) => error instanceof passing);
  if (error instanceof z.ZodError) return false;
  // `fetch` reports a broken connection as a TypeError with a cause.
  return !PROGRAMMING.some((kind) => error instanceof kind && error.cause === undefined);
}

/** Nothing that the work did. */
function isInterruption(error: unknown): boolean {
  return error instanceof CancelledFailure || (error instanceof ApplicationFailure && error.type === 'WorkerShutdown') || isOutage(error);
}

/** What a workflow reads of it: the type, and the code as the first detail. */
function final(error: unknown): ApplicationFailure {
  if (error instanceof ApplicationFailure) {
    const { message, type, details } = error;
    return ApplicationFailure.create({ message, nonRetryable: true, ...(type != null && { type }), ...(details != null && { details }), cause: error });
  }
  const cause = error instanceof Error ? error : new Error(String(error));
  return ApplicationFailure.create({
    message: cause.message,
    type: cause.name,
    nonRetryable: true,
    ...(cause instanceof DomainError && { details: [cause.code] }),
    cause,
  });
}
