import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { attempts, beat } from './attempts.ts';

/** The counts that an attempt begins with. */
const begunWith = (heartbeatDetails: unknown): Promise<unknown> => new MockActivityEnvironment({ heartbeatDetails }).run(async () => attempts());

test('an attempt goes on with the counts of the one before', async () => {
  expect(await begunWith({ failed: 2, waited: 1 })).toEqual({ failed: 2, waited: 1 });
});

test.each([undefined, null, 'junk', {}, { failed: '2' }, { waited: null }])('counts that nobody sent are 0: %o', async (details) => {
  expect(await begunWith(details)).toEqual({ failed: 0, waited: 0 });
});

test('a heartbeat carries the counts as they are by then', async () => {
  const environment = new MockActivityEnvironment({ heartbeatDetails: { failed: 1, waited: 0 } });
  const sent: unknown[] = [];
  environment.on('heartbeat', (details: unknown) => void sent.push(details));
  await environment.run(async () => {
    attempts().waited += 1;
    beat();
  });
  expect(sent).toEqual([{ failed: 1, waited: 1 }]);
});
