import { afterAll, beforeAll, expect, test } from 'vitest';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { createJob } from '../../jobs/create.ts';
import { inTx } from '../../kernel/tx.ts';
import { workflowOfRun } from '../../jobs/of-run.ts';
import { isSilent } from './unreachable.ts';

let t: TestContext;
let ada: TestUser;
beforeAll(async () => {
  t = await testContext();
  ada = await t.user('ada');
});
afterAll(() => t.close());

test('a run that began long ago is heard of by its last event', async () => {
  const runId = 'run_longago';
  const job_id = await inTx(ada, (ctx) =>
    createJob(ctx, { kind: 'run', title: 'Long', ownerId: ada.actor.user_id, workflowId: workflowOfRun(runId), input: {} }),
  );
  const heard = (seq: number, hoursAgo: number) =>
    t.ctx.db('job_events').insert({ job_id, seq, kind: 'run.output', payload: '{}', at: new Date(Date.now() - hoursAgo * 3_600_000) });
  await heard(101, 72);
  expect(await isSilent(t.ctx, runId)).toBe(true);
  await heard(102, 1);
  expect(await isSilent(t.ctx, runId)).toBe(false);
  await heard(103, 25);
  expect(await isSilent(t.ctx, runId)).toBe(true);
});
