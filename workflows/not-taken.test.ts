import { ActivityFailure, type RetryState, TimeoutFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { isNotTaken } from './not-taken.ts';

const failed = (cause: Error | undefined): ActivityFailure => new ActivityFailure('failed', 'bringUp', '1', 'TIMEOUT' satisfies RetryState, 'a worker', cause);

test('only an activity that no worker took in time is not taken', () => {
  expect(isNotTaken(failed(new TimeoutFailure('late', undefined, 'SCHEDULE_TO_START')))).toBe(true);
  expect(isNotTaken(failed(new TimeoutFailure('late', undefined, 'START_TO_CLOSE')))).toBe(false);
  expect(isNotTaken(failed(new TimeoutFailure('late', undefined, 'HEARTBEAT')))).toBe(false);
  expect(isNotTaken(failed(new Error('late')))).toBe(false);
  expect(isNotTaken(failed(undefined))).toBe(false);
  expect(isNotTaken(new TimeoutFailure('late', undefined, 'SCHEDULE_TO_START'))).toBe(false);
});
