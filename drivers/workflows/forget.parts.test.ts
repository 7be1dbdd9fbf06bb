// Histories on a real server, more than a page of them: what an owner had goes, what runs and what others
// have stays.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testTemporal } from '#test/support/servers.ts';
import { temporalWorkflows } from './temporal.ts';

let workflows: ReturnType<typeof temporalWorkflows>;
beforeAll(async () => {
  workflows = temporalWorkflows(await testTemporal());
});
afterAll(() => workflows.close());

const soon = { timeout: 60_000, interval: 200 };
const countOf = async (owner: string): Promise<number> => (await workflows.client.workflow.count(`SvcOwner = '${owner}'`)).count;

/** None of them is taken by a worker. Resolves with their ids. */
async function begin(owner: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => `forget-${randomUUID()}`);
  const of = { type: 'nobodyKnows', taskQueue: `forget-${owner}`, args: [], searchAttributes: { SvcKind: 'run', SvcOwner: owner } };
  for (const some of inTens(ids)) await Promise.all(some.map((workflowId) => workflows.start({ ...of, workflowId })));
  return ids;
}
const end = async (ids: readonly string[]): Promise<void> => {
  for (const some of inTens(ids)) await Promise.all(some.map((id) => workflows.client.workflow.getHandle(id).terminate()));
};
function inTens(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / 10) }, (_, at) => ids.slice(at * 10, at * 10 + 10));
}

test('what has ended goes, more than a page of it; what runs stays, and what is of others', async () => {
  const [ada, ben] = [`usr_${randomUUID()}`, `usr_${randomUUID()}`];
  const [ended, open, theirs] = [await begin(ada, 130), await begin(ada, 3), await begin(ben, 2)];
  await end([...ended, ...theirs]);
  expect(await workflows.forget(ada)).toBe(130);
  await expect.poll(() => countOf(ada), soon).toBe(3);
  await expect.poll(() => countOf(ben), soon).toBe(2);
  expect(await workflows.describe(ended[0] ?? '')).toBe('absent');
  expect(await workflows.forget(ada)).toBe(0);
  await end(open);
  expect(await workflows.forget(ada, { endedBefore: new Date(Date.now() - 3_600_000) })).toBe(0);
  expect(await workflows.forget(ada)).toBe(3);
});

test('an owner that is no id is refused: it would be a condition of the search', async () => {
  await expect(workflows.forget("x' OR SvcOwner != '")).rejects.toThrow('is no id of an owner');
});
