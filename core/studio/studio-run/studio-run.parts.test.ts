// A run of the studio on a real Temporal server, a real database and real git; only the machines are
// scripted. In machines: test/e2e/studio.test.ts.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createDeployActivities } from '#activities/deploy.ts';
import { createReviewActivities } from '#activities/reviews.ts';
import { createLongWorkActivities } from '#activities/long-work.ts';
import { StudioBrief, type StudioRunOut } from '#contract/studio/studio-brief.ts';
import { RuntimeError } from '#drivers/runtime/port.ts';
import { cites } from '#test/spec/verifies.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { recordHistory } from '#test/support/record-history.ts';
import { scriptedRuntime } from '#test/support/scripted-runtime.ts';
import { testTemporal } from '#test/support/servers.ts';
import { startTestWorkers } from '#test/support/workers.ts';
import { filesOfCommit } from '../../agents/source/commit-files.ts';
import { sourceRepository } from '../../agents/agent/repository.ts';
import { cancelJob } from '../../runs/job/cancel.ts';
import { followStudioRun, readRun } from './read.ts';
import { workflowOfStudio } from './row.ts';
import { startStudioRun } from './start.ts';

const runtime = scriptedRuntime();
let t: TestContext;
let ada: TestUser;
let startWorkers: () => Promise<() => Promise<void>>;
let stopWorkers: () => Promise<void>;

beforeAll(async () => {
  const temporal = await testTemporal();
  t = await testContext({ temporal });
  t.ctx.drivers.runtime = runtime;
  ada = await t.user('ada');
  const activities = { ...createDeployActivities({ ...t.ctx, node: 'local' }), ...createReviewActivities(t.ctx), ...createLongWorkActivities(t.ctx) };
  startWorkers = () => startTestWorkers(temporal, activities);
  stopWorkers = await startWorkers();
});
afterAll(async () => {
  await stopWorkers();
  await t.close();
});

const brief = (name: string, more: object = {}) =>
  StudioBrief.parse({ name, goal: 'Watch the website of the harbour and alert me when it is down', inputs: { url: 'https://harbour.example.org/' }, review: 'light', account_trial_calls: false, ...more }); // prettier-ignore
const begun = (name: string, more: object = {}): Promise<StudioRunOut> => startStudioRun(ada, { brief: brief(name, more) });
const shown = ({ run_id }: StudioRunOut): Promise<StudioRunOut> => readRun(ada, { run_id });
const ended = (run: StudioRunOut): Promise<StudioRunOut> =>
  vi.waitFor(
    async () => {
      const now = await shown(run);
      if (now.ended_at === null) throw new Error(now.state);
      return now;
    },
    { timeout: 60_000, interval: 100 },
  );
const checked = ({ run_id }: StudioRunOut): string => `${run_id}-0`;
const stepsOf = async ({ job_id }: StudioRunOut) =>
  (
    await t.ctx
      .db('job_events')
      .where({ job_id: job_id ?? '', kind: 'studio.step' })
      .orderBy('seq')
  ).map(({ payload }) => (payload as { phase: string }).phase);

const followed = async ({ run_id }: StudioRunOut, after: number) =>
  Array.fromAsync(await followStudioRun(ada, { run_id, after, signal: AbortSignal.timeout(20_000) }));

test(
  'written, checked, reviewed, deployed: each step is an event, the source a commit, and what was checked is what is deployed',
  cites('agentStudio.get', 'agentStudio.stream'),
  async () => {
    const run = await begun('flow');
    await runtime.begun(checked(run));
    expect(runtime.asked.get(checked(run))).toMatchObject({ checks: 'tests', language: 'typescript', tenant: ada.actor.user_id });
    runtime.finish(checked(run), 'ok');
    const deploy_id = await vi.waitFor(async () => (await shown(run)).deploy_id ?? Promise.reject(new Error('not yet')), { timeout: 20_000 });
    runtime.cards.set(deploy_id, {
      name: 'flow',
      description: '',
      version: '0.1.0',
      skills: [{ id: 'check', name: 'check', input_schema: {}, output_schema: {} }],
    });
    const after = await ended(run);
    expect(after).toMatchObject({ state: 'live', error: null, iterations: [{ number: 0, checks: 'passed', written_by: 'recipe' }], trials: [] });
    // It was built once, by the check.
    expect(runtime.builds.filter((id) => id === deploy_id)).toEqual([]);
    expect(await stepsOf(run)).toEqual(['building', 'evaluating', 'reviewing', 'deploying', 'deploying', 'evaluating', 'reviewing', 'live']);
    // Followed afterwards, from the first event or from a later one, each event comes once, and the last one
    // ends it.
    const events = await followed(run, 0);
    expect(events.filter(({ kind }) => kind === 'studio.step')).toHaveLength(8);
    expect(events.at(-1)?.kind).toBe('job.succeeded');
    expect(await followed(run, events[3]?.seq ?? 0)).toEqual(events.slice(4));
    const [iteration] = after.iterations;
    const files = await filesOfCommit(t.ctx, sourceRepository(ada.actor.user_id, 'flow'), iteration?.commit ?? '');
    expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(['agent.ts', 'agent.test.ts', 'svc.yaml']));
    expect(after.next.join('\n')).toContain('It runs by schedule');
    await recordHistory(t.temporal, workflowOfStudio(run.run_id), 'studioRun.live');
  },
);

test('what its checks refuse is not deployed, and is said with the reason', async () => {
  const run = await begun('refused');
  runtime.finish(checked(run), new RuntimeError('checks_failed', '1 of 3 tests failed: it watches'));
  const after = await ended(run);
  expect(after).toMatchObject({ state: 'failed', deploy_id: null, error: { code: 'studio_checks_failed', message: expect.stringContaining('it watches') } });
  expect(after.iterations).toMatchObject([{ checks: 'failed', message: expect.stringContaining('it watches') }]);
  expect(await t.ctx.db('agents').where({ name: 'refused' })).toEqual([]);
});

test('workers that go away in the middle of a check cost a repetition, and nothing is written or deployed twice', async () => {
  const run = await begun('bounced');
  await runtime.begun(checked(run));
  runtime.finish(checked(run), 'ok');
  await stopWorkers();
  stopWorkers = await startWorkers();
  const deploy_id = await vi.waitFor(async () => (await shown(run)).deploy_id ?? Promise.reject(new Error('not yet')), { timeout: 60_000 });
  runtime.cards.set(deploy_id, {
    name: 'bounced',
    description: '',
    version: '0.1.0',
    skills: [{ id: 'check', name: 'check', input_schema: {}, output_schema: {} }],
  });
  expect(await ended(run)).toMatchObject({ state: 'live', iterations: [{ number: 0 }] });
  expect(await t.ctx.db('deployments as d').join('agents as a', 'a.agent_id', 'd.agent_id').where({ 'a.name': 'bounced' })).toHaveLength(1);
});

test('source hosting that is away for a moment is asked again', async () => {
  const { scm } = t.ctx.drivers;
  let refusals = 2;
  const away = vi.spyOn(scm, 'commitTree').mockImplementation(async () => {
    refusals -= 1;
    if (refusals === 0) away.mockRestore();
    throw new Error('away');
  });
  const run = await begun('patient');
  await runtime.begun(checked(run));
  expect(refusals).toBe(0);
  expect(await shown(run)).toMatchObject({ state: 'evaluating', iterations: [{ number: 0 }] });
  await cancelJob(ada, { job_id: run.job_id ?? '' });
  await ended(run);
});

test('cancelled while it is checked: the build is stopped, and nothing is deployed', async () => {
  const run = await begun('stopped');
  await runtime.begun(checked(run));
  await cancelJob(ada, { job_id: run.job_id ?? '' });
  expect(await ended(run)).toMatchObject({ state: 'cancelled', deploy_id: null, error: { code: 'cancelled' } });
  await vi.waitFor(() => expect(runtime.open.has(checked(run))).toBe(false), { timeout: 20_000 });
  await recordHistory(t.temporal, workflowOfStudio(run.run_id), 'studioRun.cancelled');
});
