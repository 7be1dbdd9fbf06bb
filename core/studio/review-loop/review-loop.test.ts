// What review loops and findings promise, in the database alone: who may start, report and answer, and what a
// finding freezes.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ReviewLoopIn } from '#contract/studio/adversarial-review-loops.ts';
import { setVisibility } from '#core/agents/agent/visibility.ts';
import { recordReview } from '#core/quality/finding/from-review.ts';
import { listFindings } from '#core/quality/finding/list.ts';
import type { NewFinding } from '#core/quality/finding/model.ts';
import { type RecordedFinding, recordFinding } from '#core/quality/finding/record.ts';
import { upgradeRuntime } from '#core/deploys/upgrade/runtime.ts';
import { inTx } from '#core/kernel/tx.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent, runOf } from '#test/support/runs.ts';
import { cites } from '#test/spec/verifies.ts';
import { answerFinding } from './answer.ts';
import { endLoop } from './end.ts';
import { listLoops, readLoop } from './list.ts';
import { postEvent } from './post-event.ts';
import { startLoop } from './start.ts';
import { stopLoop } from './stop.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
let agent: LiveAgent;
let critic: LiveAgent;
const skills = ['find', 'wipe'].map((id) => ({ id, name: id, policy: { destructive: id === 'wipe' }, input_schema: { type: 'object' }, output_schema: {} }));
beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
  critic = await liveAgent(t.ctx, ben.actor.user_id, { visibility: 'public' });
});
afterAll(() => t.close());
beforeEach(async () => void (agent = await liveAgent(t.ctx, ada.actor.user_id, { card: { description: 'x', skills } })));

const start = (who = ada, more: Partial<ReviewLoopIn> = {}) => startLoop(who, { name: agent.name, ...ReviewLoopIn.parse(more) });
const finding = (more: Partial<NewFinding> = {}): NewFinding => ({ agentId: agent.id, deployId: agent.deployId, jobId: null, source: 'review_loop', severity: 'critical', rule: 'host-file-read', skill: 'find', title: 'It reads files', message: 'All of them.', reproduction: null, confirmed: true, at: '/path', ...more }); // prettier-ignore
const record = (more: Partial<NewFinding> = {}): Promise<RecordedFinding> => inTx(t.ctx, (ctx) => recordFinding(ctx, finding(more)));
const post = (
  who: TestUser | ReturnType<typeof runOf>,
  job_id: string,
  event: Parameters<typeof postEvent>[1]['event'],
  payload: Record<string, unknown> = {},
) => postEvent(who, { name: agent.name, job_id, event, payload });
const said = {
  severity: 'critical',
  rule: 'path-escape',
  title: 'It leaves its folder',
  message: 'With dots.',
  reproduction: { skill: 'find', args: { path: '..' } },
};

test(
  'a loop is started by the owner, once at a time; skills that destroy are not called unless they are named',
  cites('adversarialReviewLoops.create', 'adversarialReviewLoops.list', 'adversarialReviewLoops.get'),
  async () => {
    const loop = await start();
    expect(loop).toMatchObject({ state: 'queued', skills: ['find'], dry: [], iterations: 3, budget_cents: 500, iteration: 0, model: null, reviewer: null });
    await expect(start()).rejects.toMatchObject({ code: 'review_loop_running' });
    await expect(start(ben)).rejects.toMatchObject({ code: 'agent_not_found' });
    await endLoop(t.ctx, loop.job_id);
    expect(await start(ada, { skills: ['wipe'], dry: ['find'], reviewer: critic.name })).toMatchObject({
      skills: ['wipe'],
      dry: ['find'],
      reviewer: critic.name,
    });
    expect((await listLoops(ada, { name: agent.name, limit: 1 })).next_cursor).not.toBeNull();
    await expect(readLoop(ben, { name: agent.name, job_id: loop.job_id })).rejects.toMatchObject({ code: 'agent_not_found' });
  },
);

test('skills that the live version does not have, and none at all, are refused', async () => {
  await expect(start(ada, { skills: ['fly'] })).rejects.toMatchObject({ code: 'nothing_to_challenge' });
  await t.ctx.db('deployments').where({ agent_id: agent.id }).update({ card: JSON.stringify({ name: agent.name, description: '', version: '1.0.0', skills: [] }) }); // prettier-ignore
  await expect(start()).rejects.toMatchObject({ code: 'nothing_to_challenge' });
});

test('a stop asks the workflow; an ended loop is not stopped', cites('adversarialReviewLoops.stop'), async () => {
  const { job_id } = await start();
  expect(await stopLoop(ada, { name: agent.name, job_id })).toMatchObject({ state: 'queued' });
  expect(await t.ctx.db('outbox').where({ workflow_id: `review-loop:${job_id}`, kind: 'cancel' })).toHaveLength(1);
  await expect(stopLoop(ben, { name: agent.name, job_id })).rejects.toMatchObject({ code: 'agent_not_found' });
  await endLoop(t.ctx, job_id, { code: 'cancelled', message: 'Stopped' });
  await expect(stopLoop(ada, { name: agent.name, job_id })).rejects.toMatchObject({ code: 'review_loop_ended' });
  expect(await t.ctx.db('job_events').where({ job_id, kind: 'loop_killed' })).toHaveLength(1);
  expect(await readLoop(ada, { name: agent.name, job_id })).toMatchObject({ state: 'cancelled', error: { code: 'cancelled' } });
});

test('its reviewer reports by the run that the loop began; no other run, agent or person does', cites('adversarialReviewLoops.event'), async () => {
  const { job_id } = await start(ada, { reviewer: critic.name });
  const its = runOf(t.ctx, critic, ada.actor.user_id);
  const other = runOf(t.ctx, critic, ada.actor.user_id);
  await t.ctx.db('review_loops').where({ job_id }).update({ reviewer_run_id: its.actor.run_id });
  const { finding_ids } = await post(its, job_id, 'finding_emitted', { findings: [said] });
  for (const who of [other, ben, runOf(t.ctx, agent, ada.actor.user_id)])
    await expect(post(who, job_id, 'loop_completed')).rejects.toMatchObject({ code: 'review_loop_not_found' });
  const [row] = (await listFindings(ada, { name: agent.name, limit: 5, state: 'all' })).items;
  // What a reviewer says is not believed before its call has shown it: nothing is frozen.
  expect(row).toMatchObject({ finding_id: finding_ids[0], severity: 'critical', confirmed: false, freezes: false });
  expect(await t.ctx.db('review_probes').where({ job_id, attack: 'proposed', state: 'planned' })).toHaveLength(1);
  await post(its, job_id, 'finding_emitted', { findings: [said] });
  expect((await listFindings(ada, { name: agent.name, limit: 5, state: 'all' })).items).toHaveLength(1);
  await post(its, job_id, 'fix_proposed', { proposal: { finding_id: finding_ids[0], summary: 'Refuse dots' } });
  await expect(post(its, job_id, 'fix_proposed', { proposal: { finding_id: 'fnd_none', summary: 'x' } })).rejects.toMatchObject({ code: 'finding_not_found' });
  await expect(post(its, job_id, 'fix_proposed', { proposal: { summary: 'x' } })).rejects.toMatchObject({
    issues: [{ path: ['body', 'payload', 'proposal', 'finding_id'] }],
  });
  await expect(post(its, job_id, 'finding_emitted', { findings: [] })).rejects.toMatchObject({ issues: [{ path: ['body', 'payload', 'findings'] }] });
  await expect(post(its, job_id, 'loop_completed', { active_apply: true })).rejects.toMatchObject({ code: 'apply_refused' });
  await post(its, job_id, 'loop_completed', { summary: 'Done' });
  // Its end is not the loop's.
  expect((await readLoop(ada, { name: agent.name, job_id })).ended_at).toBeNull();
  await endLoop(t.ctx, job_id);
  await expect(post(its, job_id, 'reviewer_started')).rejects.toMatchObject({ code: 'review_loop_ended' });
});

test('a critical finding freezes publishing and upgrades until it is answered; what is not confirmed does not', async () => {
  await record({ confirmed: false });
  await setVisibility(ada, { name: agent.name, visibility: 'public' });
  await setVisibility(ada, { name: agent.name, visibility: 'unlisted' });
  const { finding_id, how, freezes } = await record();
  expect([how, freezes]).toEqual(['again', true]);
  await expect(setVisibility(ada, { name: agent.name, visibility: 'public' })).rejects.toMatchObject({ code: 'promotion_frozen', details: { finding_id } });
  t.ctx.drivers.runtime.current = async () => ({ runtime: 'sha256:new', sdk: '9.9.9' });
  await expect(upgradeRuntime(ada, { name: agent.name, check: false, force: true })).rejects.toMatchObject({ code: 'promotion_frozen' });
  expect((await listFindings(ada, { name: agent.name, limit: 5, state: 'open' })).frozen_by).toBe(finding_id);
  await expect(answerFinding(ben, { name: agent.name, finding_id, answer: 'accepted', reason: 'Mine now' })).rejects.toMatchObject({ code: 'agent_not_found' });
  expect(await answerFinding(ada, { name: agent.name, finding_id, answer: 'accepted', reason: 'Only I call it' })).toMatchObject({
    state: 'answered',
    answered_by: 'owner',
    freezes: false,
  });
  await setVisibility(ada, { name: agent.name, visibility: 'public' });
  await expect(answerFinding(ada, { name: agent.name, finding_id, answer: 'false_alarm', reason: 'No' })).rejects.toMatchObject({ code: 'finding_answered' });
  // Accepted once, it stays accepted when it shows again; one that was fixed is open again.
  expect(await record()).toMatchObject({ finding_id, how: 'answered', freezes: false });
  await t.ctx.db('agent_findings').where({ finding_id }).update({ answer: 'fixed' });
  expect(await record({ confirmed: false })).toMatchObject({ how: 'answered' });
  expect(await record()).toMatchObject({ finding_id, how: 'back', freezes: true });
});

test('critical findings of the source are findings of the agent, and gone with the version that has them', async () => {
  const reviewed = { severity: 'critical', rule: 'secret-token', title: 'A token', message: 'In the source', path: 'a.ts', line: 3, hash: 'h1' } as const;
  const review = (findings: Parameters<typeof recordReview>[1]['findings']) => inTx(t.ctx, (ctx) => recordReview(ctx, { agentId: agent.id, deployId: agent.deployId, jobId: null, findings })); // prettier-ignore
  await review([{ ...reviewed, accepted: null }, { ...reviewed, hash: 'h2', accepted: 'a test key' }, { ...reviewed, hash: 'h3', severity: 'warning', accepted: null }]); // prettier-ignore
  const { items } = await listFindings(ada, { name: agent.name, limit: 5, state: 'open' });
  expect(items).toMatchObject([{ source: 'review_run', freezes: true, message: 'In the source (a.ts:3)' }]);
  await expect(answerFinding(ada, { name: agent.name, finding_id: items[0]?.finding_id ?? '', answer: 'fixed', reason: 'x' })).rejects.toMatchObject({
    code: 'finding_reproduces',
  });
  await review([]);
  expect((await listFindings(ada, { name: agent.name, limit: 5, state: 'all' })).items).toMatchObject([
    { state: 'answered', answer: 'fixed', answered_by: 'platform' },
  ]);
});

test('findings are listed page by page', async () => {
  for (const at of ['a', 'b', 'c']) await record({ at, severity: 'info' });
  const first = await listFindings(ada, { name: agent.name, limit: 2, state: 'all' });
  const rest = await listFindings(ada, { name: agent.name, limit: 2, state: 'all', cursor: first.next_cursor ?? '' });
  expect([...first.items, ...rest.items]).toHaveLength(3);
  expect(rest.next_cursor).toBeNull();
  await expect(listFindings(ben, { name: agent.name, limit: 2, state: 'all' })).rejects.toMatchObject({ code: 'agent_not_found' });
});
