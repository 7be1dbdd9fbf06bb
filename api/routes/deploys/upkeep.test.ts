// Reviews, self-healing and template updates through the API; what they do is in
// workflows/upkeep.parts.test.ts and core/deploys/template.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiError } from '#contract/client.ts';
import { awaitDeployment } from '#core/deploys/healing/prove.ts';
import { newId } from '#core/kernel/ids.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
let name: string;
let agentId: string;
let deployId: string;
beforeAll(async () => {
  world = await createWorld({ serving: true });
  name = world.records['name'] ?? '';
  deployId = world.records['deploy_id'] ?? '';
  agentId = (await world.ctx.db('agents').where({ name }).first('agent_id'))?.agent_id ?? '';
});
afterAll(() => world.close());

const agents = (who: 'ada' | 'ben' = 'ada') => world.as(who).agents;
const params = () => ({ params: { name } });

verifies('agents.reviewRuns', 'a review shows its findings, counts and times; newest first', async () => {
  const finding = { hash: 'a'.repeat(64), severity: 'critical', rule: 'secret-token', path: 'a.ts', line: 1, title: 't', message: 'm', accepted: null };
  const ends = { started_at: new Date('2026-01-01T00:00:00Z'), ended_at: new Date('2026-01-01T00:00:01Z') };
  await world.ctx
    .db('review_runs')
    .where({ deploy_id: deployId })
    .update({ state: 'failed', findings: JSON.stringify([finding]), critical_count: 1, summary: '1 critical', ref: 'c0ffee', ...ends });
  const [review] = await agents().reviewRuns({ ...params(), query: { limit: 5 } });
  expect(review).toMatchObject({
    agent: name,
    deploy_id: deployId,
    status: 'failed',
    critical_count: 1,
    warning_count: 0,
    elapsed_ms: 1_000,
    ref: 'c0ffee',
    findings: [finding],
  });
});

verifies('agents.latestReviewRun', 'the newest review, and 404 where there is none', async () => {
  expect(await agents().latestReviewRun(params())).toMatchObject({ deploy_id: deployId });
  const rows = await world.ctx.db('review_runs').where({ deploy_id: deployId }).delete().returning('*');
  await expect(agents().latestReviewRun(params())).rejects.toMatchObject({ status: 404, code: 'review_not_found' });
  for (const { findings, error, ...row } of rows)
    await world.ctx.db('review_runs').insert({ ...row, findings: JSON.stringify(findings), error: JSON.stringify(error) });
});

verifies('agents.reviewRun', 'one review by its id; an id of another agent is not found', async () => {
  const { review_id } = await agents().latestReviewRun(params());
  expect(await agents().reviewRun({ params: { name, review_id } })).toMatchObject({ review_id });
  await expect(agents().reviewRun({ params: { name, review_id: newId('rev') } })).rejects.toMatchObject({ status: 404, code: 'review_not_found' });
});

verifies('agents.selfHealing', 'the policy of the live version and its repairs, limit 1 to 100', async () => {
  expect(await agents().selfHealing({ ...params(), query: { limit: 20 } })).toEqual({ policy: null, repairs_today: 0, repairs: [] });
  await world.ctx
    .db('deployments')
    .where({ deploy_id: deployId })
    .update({ manifest: world.ctx.db.raw(`manifest || '{"self_healing":{"consecutive_failures":3}}'::jsonb`) });
  const row = { agent_id: agentId, deploy_id: deployId, state: 'needs_human' as const, policy: '{}', source_sha256: 'x', ended_at: new Date() };
  for (const code of ['http_500', 'agent_refused']) {
    await world.ctx.db('agent_repairs').insert({
      ...row,
      repair_id: newId('rep'),
      error: JSON.stringify({ code, message: 'm' }),
      outcome: JSON.stringify({ code: 'no_good_version', message: 'm' }),
    });
  }
  const { policy, repairs } = await agents().selfHealing({ ...params(), query: { limit: 1 } });
  expect(policy).toEqual({
    enabled: true,
    consecutive_failures: 3,
    window_seconds: 300,
    cooldown_seconds: 900,
    max_repairs_per_day: 3,
    deployment_timeout_seconds: 1_800,
    require_tests: true,
  });
  expect(repairs).toMatchObject([
    { state: 'needs_human', error: { code: 'agent_refused' }, outcome: { code: 'no_good_version' }, tests: 'not_run', steps: [] },
  ]);
  for (const limit of ['0', '101', 'x']) {
    const response = await fetch(`${world.url}/v1/agents/${name}/self-healing?limit=${limit}`, { headers: { authorization: `Bearer ${world.tokens.ada}` } });
    expect(response.status, limit).toBe(422);
  }
});

verifies('agents.updateTemplate', 'a project without a lineage has no template; deciding is refused', async () => {
  expect(await agents().updateTemplate({ ...params(), body: { action: 'check', choices: {} } })).toMatchObject({
    state: 'none',
    template_ref: null,
    conflicts: [],
  });
  await expect(agents().updateTemplate({ ...params() })).rejects.toMatchObject({ status: 409, code: 'template_none' });
});

verifies('agents.upgradeRuntime', 'a host that does not answer is 502; what is not live is 409', async () => {
  await expect(agents().upgradeRuntime({ ...params() })).rejects.toMatchObject({ status: 502, code: 'runtime_unreachable' });
});

test('what somebody else owns answers as if it were not there, though its agent is public', async () => {
  await world.ctx.db('agents').where({ name }).update({ visibility: 'public' });
  const ben = agents('ben');
  const { review_id } = await agents().latestReviewRun(params());
  for (const ask of [
    () => ben.reviewRuns({ ...params(), query: {} }),
    () => ben.latestReviewRun(params()),
    () => ben.reviewRun({ params: { name, review_id } }),
    () => ben.selfHealing({ ...params(), query: {} }),
    () => ben.updateTemplate({ ...params() }),
  ]) {
    const refused: unknown = await ask().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ApiError);
    expect(refused).toMatchObject({ status: 404, code: 'agent_not_found' });
  }
});

test('who waits for a deployment looks at it now and then, and leaves it when told to', async () => {
  const { db } = world.ctx;
  await db('deployments').where({ deploy_id: deployId }).update({ state: 'building' });
  const stop = new AbortController();
  let looks = 0;
  const looked = ({ sql }: { sql: string }): void => {
    if (!sql.includes('"deployments"')) return;
    looks += 1;
    if (looks === 2) stop.abort();
  };
  db.on('query', looked);
  await expect(awaitDeployment(world.ctx, deployId, stop.signal)).rejects.toMatchObject({ name: 'AbortError' });
  db.off('query', looked);
  expect(looks).toBe(2);
  await db('deployments').where({ deploy_id: deployId }).update({ state: 'live' });
  expect(await awaitDeployment(world.ctx, deployId, AbortSignal.timeout(60_000))).toBe(true);
});
