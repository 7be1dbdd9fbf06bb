import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { DeploymentFault, ImageMissing } from '#core/agents/agent/deployment-fault.ts';
import { longRunning } from './long-running.ts';

/** Begins work that goes on until its signal says so, and ends it for this reason. */
function endedBy(reason: string): Promise<unknown> {
  const activity = new MockActivityEnvironment();
  const began = Promise.withResolvers<void>();
  const work = (signal: AbortSignal) =>
    new Promise<void>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('the work broke off')), { once: true });
      began.resolve();
    });
  const ended = activity.run(() => longRunning(work)).catch((error: unknown) => error);
  void began.promise.then(() => activity.cancel(reason as Parameters<typeof activity.cancel>[0]));
  return ended;
}

test('work that its worker’s end broke off is done again by another; work that was cancelled is not', async () => {
  expect(await endedBy('WORKER_SHUTDOWN')).toMatchObject({ type: 'WorkerShutdown', nonRetryable: false });
  expect(await endedBy('CANCELLED')).toBeInstanceOf(CancelledFailure);
});

test('work that reports progress has failed once there was none for its time; work that goes on reporting has not', async () => {
  const within = (work: (signal: AbortSignal, progress: () => void) => Promise<string>) =>
    new MockActivityEnvironment().run(() => longRunning(work, { silentForMs: 50 })).catch((error: unknown) => error);
  let heard: unknown;
  const hung = (signal: AbortSignal) => new Promise<string>(() => signal.addEventListener('abort', () => void (heard = signal.reason), { once: true }));
  expect(await within(hung)).toMatchObject({ type: 'NoProgress', nonRetryable: false });
  expect(heard).toMatchObject({ type: 'NoProgress' });
  // It reports more often than its time has parts, and ends only then.
  const busy = (_signal: AbortSignal, progress: () => void) =>
    new Promise<string>((resolve) => {
      let reports = 0;
      const reporting = setInterval(() => {
        progress();
        reports += 1;
        if (reports < 40) return;
        clearInterval(reporting);
        resolve('done');
      }, 2);
    });
  expect(await within(busy)).toBe('done');
});

test('what its author has to mend, and an image that is gone, is not tried again; what broke otherwise keeps its error', async () => {
  const errorOf = (error: Error) => new MockActivityEnvironment().run(() => longRunning(() => Promise.reject(error))).catch((thrown: unknown) => thrown);
  expect(await errorOf(new DeploymentFault('card_invalid', 'Mend it'))).toMatchObject({ type: 'UserError', nonRetryable: true, details: ['card_invalid'] });
  expect(await errorOf(new ImageMissing('a'.repeat(64), 'one'))).toMatchObject({ nonRetryable: true, details: ['image_gone'] });
  const other = new Error('a broken wire');
  expect(await errorOf(other)).toBe(other);
  expect(other).not.toBeInstanceOf(ApplicationFailure);
});
