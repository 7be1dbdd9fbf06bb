// Plans, scorecards and memories over a real database; runs of teams are team-run.parts.test.ts's.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decay, scoreOfEvidence } from '#contract/studio/scorecard.ts';
import { TeamPlanIn } from '#contract/studio/collective-runtime.ts';
import { appendReceipt } from '#core/evidence/receipt/sign.ts';
import { cites } from '#test/spec/verifies.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent } from '#test/support/runs.ts';
import { facts } from '#test/support/verbs.ts';
import { newId } from '../../kernel/ids.ts';
import { inTx } from '../../kernel/tx.ts';
import { countScorecards } from './count-scorecards.ts';
import { extractMemories } from './memory.ts';
import { listProtocols, planTeam } from './plan.ts';
import { collectiveOverview, listTeamRuns, readTeamRun } from './read.ts';
import { decideGates, startTeam } from './run.ts';
import { listRegistry, listScorecards } from './scorecards.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
let writer: LiveAgent;
let checker: LiveAgent;
const skill = (id: string, description: string) => ({ id, name: id, description, tags: [], policy: { timeout_seconds: null, idempotent: false, max_retries: 0 }, input_schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }, output_schema: {} }); // prettier-ignore

beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
  writer = await liveAgent(t.ctx, ada.actor.user_id, { card: { skills: [skill('write', 'Writes documentation')] } });
  checker = await liveAgent(t.ctx, ada.actor.user_id, { card: { skills: [skill('check', 'Checks a text')] } });
});
afterAll(() => t.close());

const plan = (more: object = {}, ctx = ada) => planTeam(ctx, TeamPlanIn.parse({ goal: 'Describe the installation', protocol: 'docs_update', ...more }));
async function called(agent: LiveAgent, caller: TestUser, how: 'ok' | 'error' | 'cancelled', at: number, more: object = {}): Promise<void> {
  await inTx(t.ctx, (ctx) =>
    appendReceipt(ctx, {
      ...facts(agent, { skill: 'write', runId: newId('run'), deployId: agent.deployId, startedAt: at, endedAt: at }),
      caller: { kind: 'user', id: caller.actor.user_id, userId: caller.actor.user_id },
      ...(how !== 'ok' && { status: how, errorCode: 'failed', outputSha256: null }),
      ...more,
    }),
  );
}
const later = () => ({ ...t.ctx, clock: () => Date.now() + 61_000 });
const cardOf = async (name: string, ctx = ada) => (await listScorecards(ctx, { limit: 200 })).items.find(({ agent }) => agent === name);

test(
  'a plan picks by words and freezes; it names who does what and nothing is called',
  cites('collectiveRuntime.plan', 'collectiveRuntime.protocols'),
  async () => {
    const made = await plan();
    expect(made.members.map(({ role, agent, skill: id }) => [role, agent, id])).toEqual([['writer', writer.name, 'write'], ['checker', checker.name, 'check']]); // prettier-ignore
    expect(made).toMatchObject({
      missing: [],
      budget_cents: 100,
      nodes: [{ step: 'draft' }, { step: 'check', depends_on: [1] }, { step: 'final', depends_on: [1, 2], gate: true }],
    });
    expect((await plan()).digest).toBe(made.digest);
    expect((await plan({ risk: 'low' })).digest).not.toBe(made.digest);
    expect(await t.ctx.db('runs').where({ user_id: ada.actor.user_id })).toEqual([]);
    expect(listProtocols(ada).items).toHaveLength(7);
    expect((await plan({}, ben)).missing).toEqual(['writer', 'checker']);
  },
);

test(
  'what is missing, expired, stale or somebody else’s does not start',
  cites('collectiveRuntime.start', 'collectiveRuntime.overview', 'collectiveRuntime.runs'),
  async () => {
    const none = await plan({}, ben);
    await expect(startTeam(ben, none)).rejects.toMatchObject({ code: 'team_incomplete' });
    const made = await plan();
    await expect(startTeam(ben, made)).rejects.toMatchObject({ code: 'team_plan_not_found' });
    await expect(startTeam({ ...ada, clock: () => Date.now() + 3_700_000 }, made)).rejects.toMatchObject({ code: 'team_plan_not_found' });
    await t.ctx.db('agents').where({ agent_id: checker.id }).update({ live_deploy_id: writer.deployId }); // prettier-ignore
    await expect(startTeam(ada, made)).rejects.toMatchObject({ code: 'team_plan_stale' });
    await t.ctx.db('agents').where({ agent_id: checker.id }).update({ live_deploy_id: checker.deployId }); // prettier-ignore
    const [one, two] = await Promise.all([startTeam(ada, made), startTeam(ada, made)]);
    expect(two.dag_run_id).toBe(one.dag_run_id);
    expect(one).toMatchObject({ state: 'queued', spent_micros: 0, plan: { planner: 'team', nodes: [{ state: 'pending' }, {}, {}] } });
    await expect(readTeamRun(ben, one)).rejects.toMatchObject({ code: 'team_run_not_found' });
    await expect(decideGates(ada, { ...one, decision: 'approve', reason: '' })).rejects.toMatchObject({ code: 'no_gate_waits' });
    await expect(decideGates(ben, { ...one, decision: 'approve', reason: '' })).rejects.toMatchObject({ code: 'team_run_not_found' });
    await expect(extractMemories(ada, one)).rejects.toMatchObject({ code: 'team_run_open' });
    await expect(plan({ members: [{ role: 'poet', agent: writer.name }] })).rejects.toMatchObject({ code: 'team_incomplete' });
    expect((await listTeamRuns(ada, { limit: 10 })).items).toMatchObject([{ dag_run_id: one.dag_run_id, protocol: 'docs_update', ended_at: null }]);
    expect((await listTeamRuns(ben, { limit: 10 })).items).toEqual([]);
    expect(await collectiveOverview(ada)).toMatchObject({ runs: { all: 1, open: 1, waiting: 0 }, agents: { candidate: 2 } });
  },
);

test(
  'scorecards count what was sealed since the last time, once, and halve with time',
  cites('collectiveRuntime.scorecards', 'collectiveRuntime.registry'),
  async () => {
    await countScorecards(later());
    const now = Date.now();
    const calls = fc.sample(fc.record({ daysAgo: fc.integer({ min: 0, max: 300 }), ok: fc.boolean() }), 60);
    for (const { daysAgo, ok } of calls.slice(0, 40)) await called(writer, ada, ok ? 'ok' : 'error', now - daysAgo * 86_400_000);
    await called(writer, ada, 'cancelled', now);
    await called(writer, ada, 'error', now, { errorCode: 'invalid_input' });
    await called(writer, ben, 'error', now);
    await Promise.all([countScorecards(later()), countScorecards(later())]);
    for (const { daysAgo, ok } of calls.slice(40)) await called(writer, ada, ok ? 'ok' : 'error', now - daysAgo * 86_400_000);
    await countScorecards(later());
    expect(await countScorecards(later())).toBe(0);
    const sum = (ok: boolean): number => calls.filter((call) => call.ok === ok).reduce((all, { daysAgo }) => all + decay(daysAgo * 86_400_000), 0);
    const expected = scoreOfEvidence({ good: sum(true), bad: sum(false) });
    const shown = await cardOf(writer.name);
    expect(shown?.calls).toBe(60);
    for (const member of ['mean', 'low', 'high', 'weight'] as const) expect(shown?.[member]).toBeCloseTo(expected[member], 3);
    // Ben has called it, and knows of one bad call.
    expect(await cardOf(writer.name, ben)).toMatchObject({ calls: 1, routing_state: 'candidate' });
  },
);

test('good calls make an agent trusted, bad ones degraded, and a critical finding or the policy blocks it', async () => {
  const good = await liveAgent(t.ctx, ada.actor.user_id, { card: { skills: [skill('write', 'Writes documentation')] } });
  for (let n = 0; n < 12; n += 1) await called(good, ada, 'ok', Date.now() + n);
  for (let n = 0; n < 8; n += 1) await called(checker, ada, 'error', Date.now() + n);
  await countScorecards({ ...t.ctx, clock: () => Date.now() + 120_000 });
  expect(await cardOf(good.name)).toMatchObject({ routing_state: 'trusted', calls: 12 });
  expect(await cardOf(checker.name)).toMatchObject({ routing_state: 'degraded' });
  expect((await plan()).members.map(({ role, agent }) => [role, agent])[0]).toEqual(['writer', good.name]);
  // One that is degraded is not picked, but may be named.
  expect((await plan()).missing).toEqual(['checker']);
  expect((await plan({ members: [{ role: 'checker', agent: checker.name }] })).missing).toEqual([]);
  await t.ctx.db('agent_findings').insert({ finding_id: newId('fnd'), agent_id: good.id, source: 'review_run', deploy_id: good.deployId, hash: 'x', severity: 'critical', rule: 'r', title: 'It leaks', message: 'm', confirmed: true, state: 'open', created_at: new Date() } as never); // prettier-ignore
  expect(await cardOf(good.name)).toMatchObject({ routing_state: 'blocked', reason: expect.stringContaining('It leaks') });
  await expect(plan({ members: [{ role: 'writer', agent: good.name }] })).rejects.toMatchObject({ code: 'team_incomplete' });
  const first = await listRegistry(ada, { limit: 1 });
  const rest = await listRegistry(ada, { limit: 200, cursor: first.next_cursor ?? '' });
  const names = [...first.items, ...rest.items].map(({ agent }) => agent);
  expect(names).toEqual([...new Set(names)].toSorted());
  expect(names).toContain(good.name);
});
