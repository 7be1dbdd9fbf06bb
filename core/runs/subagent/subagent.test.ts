// Calls between agents as their user sees them: noted as they are made, reported, made again.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { containmentFault } from '#contract/wire/containment.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent, runOf, type TestRun } from '#test/support/runs.ts';
import { inTx } from '../../kernel/tx.ts';
import { delegateGrant } from '../../workspace/grant/delegate.ts';
import { grantOfRow } from '../../workspace/grant/keys.ts';
import { mintGrant } from '../../workspace/grant/mint.ts';
import type { SignedGrant } from '../../workspace/grant/record.ts';
import { hashOf } from '../run/hash.ts';
import { ensureRun } from '../../kernel/ensure-run.ts';
import { keepArgs, MAX_ARGS_BYTES } from './keep.ts';
import { startRun } from '../durable/start.ts';
import { getSubagentRun, listSubagentRuns } from './list.ts';
import { rerunSubagentRun } from './rerun.ts';
import { trackSubagentRun } from './track.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
let caller: LiveAgent;
let callee: LiveAgent;
beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
  [caller, callee] = [await liveAgent(t.ctx, ada.actor.user_id), await liveAgent(t.ctx, ada.actor.user_id)];
});
afterAll(() => t.close());

const mint = (audience: string) =>
  inTx(ada, (ctx) =>
    mintGrant(ctx, {
      userId: ada.actor.user_id,
      audience,
      allow: ['docs/**'],
      deny: ['docs/x'],
      mode: 'read_write_overlay',
      outputsPrefix: 'out',
      ttlSeconds: 120,
    }),
  );
const running = (): TestRun => runOf(t.ctx, caller, ada.actor.user_id);
/** The caller hands on a part of what it was given. */
const delegate = async (run: TestRun): Promise<SignedGrant> => {
  const { token } = await mint(caller.name);
  return delegateGrant(run, {
    parentToken: token,
    audience: callee.name,
    allow_patterns: ['docs/a/**'],
    deny_patterns: [],
    mode: 'read_only',
    outputs_prefix: null,
    ttl_seconds: 60,
  });
};
/** As a call through the platform does. */
const call = async (run: TestRun, grantId: string): Promise<TestRun> => {
  const child = runOf(t.ctx, callee, ada.actor.user_id, { parent_run_id: run.actor.run_id, caller: { kind: 'run', id: caller.name } });
  await inTx(t.ctx, async (ctx) => {
    await ensureRun({ ...ctx, actor: run.actor });
    await ensureRun({ ...ctx, actor: child.actor }, { grant_id: grantId });
  });
  return child;
};
const report = (token: string, more: object = {}) => ({
  grant: token,
  skill: 'look',
  state: 'succeeded' as const,
  started_at: '2026-01-02T03:04:05.006Z',
  ended_at: '2026-01-02T03:04:06.006Z',
  input_sha256: 'a'.repeat(64),
  output_sha256: 'b'.repeat(64),
  error_code: null,
  ...more,
});

test('a call through the platform is noted with it: who, whom, under which grant, and what became of it', async () => {
  const run = running();
  const { grant } = await delegate(run);
  const child = await call(run, grant.grant_id);
  expect(await getSubagentRun(ada, grant)).toMatchObject({
    agent: callee.name,
    skill: 'work',
    caller_agent: caller.name,
    caller_run_id: run.actor.run_id,
    source: 'call',
    state: 'running',
    run_id: child.actor.run_id,
    calls: 1,
    can_rerun: false,
  });
  await t.ctx.db('runs').where({ run_id: child.actor.run_id }).update({ state: 'failed', ended_at: new Date().toISOString() });
  const again = await call(run, grant.grant_id);
  expect(await getSubagentRun(ada, grant)).toMatchObject({ calls: 2, run_id: again.actor.run_id, state: 'running' });
  await expect(getSubagentRun(ben, grant)).rejects.toMatchObject({ code: 'subagent_run_not_found' });
  await expect(rerunSubagentRun(ada, grant)).rejects.toMatchObject({ name: 'Conflict', code: 'arguments_unknown' });
});

test('a call without a grant of its user’s leaves a row under a key of its own; one without a user leaves none', async () => {
  const run = running();
  await inTx(t.ctx, (ctx) => ensureRun({ ...ctx, actor: run.actor }));
  const child = runOf(t.ctx, callee, ada.actor.user_id, { parent_run_id: run.actor.run_id });
  await inTx(t.ctx, (ctx) => ensureRun({ ...ctx, actor: child.actor }));
  const key = { grant_id: child.actor.run_id.replace('run_', 'grt_') };
  expect(await getSubagentRun(ada, key)).toMatchObject({ agent: callee.name, caller_agent: caller.name, source: 'call', run_id: child.actor.run_id, calls: 1 });
  const { grant } = await delegate(run);
  const eve = await t.user('eve');
  const others = runOf(t.ctx, callee, eve.actor.user_id, { parent_run_id: run.actor.run_id });
  await inTx(t.ctx, (ctx) => ensureRun({ ...ctx, actor: others.actor }, { grant_id: grant.grant_id }));
  expect(await getSubagentRun(eve, { grant_id: others.actor.run_id.replace('run_', 'grt_') })).toMatchObject({ run_id: others.actor.run_id });
  await expect(getSubagentRun(ada, grant)).rejects.toMatchObject({ code: 'subagent_run_not_found' });
  const before = (await t.ctx.db('subagent_runs')).length;
  const nobodys = runOf(t.ctx, callee, null, { parent_run_id: run.actor.run_id });
  await inTx(t.ctx, (ctx) => ensureRun({ ...ctx, actor: nobodys.actor }));
  const first = running();
  await inTx(t.ctx, (ctx) => ensureRun({ ...ctx, actor: first.actor }));
  expect(await t.ctx.db('subagent_runs')).toHaveLength(before);
});

test('a call that was waited for is made again with its arguments; without a grant it had, without one', async () => {
  const child = runOf(t.ctx, callee, ada.actor.user_id, { parent_run_id: running().actor.run_id, skill: 'look' });
  await inTx(t.ctx, async (ctx) => {
    await ensureRun({ ...ctx, actor: child.actor });
    await keepArgs(ctx.db, child.actor.run_id, { deep: [1], text: 'a\0b' });
  });
  const key = { grant_id: child.actor.run_id.replace('run_', 'grt_') };
  expect(await getSubagentRun(ada, key)).toMatchObject({ can_rerun: true });
  const again = await rerunSubagentRun(ada, key);
  expect(again).toMatchObject({ source: 'rerun', rerun_of: key.grant_id, skill: 'look', can_rerun: true });
  expect(again.grant_id).not.toBe(key.grant_id);
  expect(await t.ctx.db('runs').where('run_id', again.run_id).first()).toMatchObject({
    args: { deep: [1], text: 'a\ufffdb' },
    grant_id: null,
    parent_run_id: null,
  });
  expect(await t.ctx.db('grants').where({ grant_id: again.grant_id })).toEqual([]);
  expect(await rerunSubagentRun(ada, { grant_id: again.grant_id })).toMatchObject({ rerun_of: again.grant_id });
  await expect(rerunSubagentRun(ben, key)).rejects.toMatchObject({ code: 'subagent_run_not_found' });
});

test('what is no object or too large is not kept, and cannot be made again', async () => {
  for (const args of [undefined, 'text', [1], { large: 'x'.repeat(MAX_ARGS_BYTES) }]) {
    const child = runOf(t.ctx, callee, ada.actor.user_id, { parent_run_id: running().actor.run_id });
    await inTx(t.ctx, async (ctx) => {
      await ensureRun({ ...ctx, actor: child.actor });
      await keepArgs(ctx.db, child.actor.run_id, args);
    });
    const key = { grant_id: child.actor.run_id.replace('run_', 'grt_') };
    expect(await getSubagentRun(ada, key)).toMatchObject({ can_rerun: false });
    await expect(rerunSubagentRun(ada, key)).rejects.toMatchObject({ code: 'arguments_unknown' });
  }
});

test('a reported call with its arguments is made again, under a new grant like its own', async () => {
  const run = running();
  const { grant, token } = await delegate(run);
  const args = { name: 'Ada' };
  const wrong = trackSubagentRun(run, report(token, { args }));
  await expect(wrong, 'another hash than theirs').rejects.toMatchObject({ code: 'invalid_input', issues: [{ path: ['body', 'input_sha256'] }] });
  expect(await trackSubagentRun(run, report(token, { args, input_sha256: null }))).toMatchObject({ can_rerun: true, input_sha256: hashOf(args) });
  const again = await rerunSubagentRun(ada, grant);
  expect(again).toMatchObject({ source: 'rerun', rerun_of: grant.grant_id, agent: callee.name, skill: 'look' });
  expect(await t.ctx.db('runs').where('run_id', again.run_id).first()).toMatchObject({ args, grant_id: again.grant_id });
});

test('a direct call is reported once by the holder of its grant; running may become ended, ended stays', async () => {
  const run = running();
  const { grant, token } = await delegate(run);
  const first = await trackSubagentRun(run, report(token, { state: 'running', ended_at: null, output_sha256: null }));
  expect(first).toMatchObject({ grant_id: grant.grant_id, agent: callee.name, caller_agent: caller.name, source: 'reported', state: 'running', run_id: null });
  expect(await trackSubagentRun(run, report(token, { state: 'running', ended_at: null, output_sha256: null }))).toEqual(first);
  const ended = await trackSubagentRun(runOf(t.ctx, callee, ada.actor.user_id), report(token));
  expect(ended).toMatchObject({ state: 'succeeded', output_sha256: 'b'.repeat(64), ended_at: '2026-01-02T03:04:06.006Z' });
  expect(await trackSubagentRun(ada, report(token))).toEqual(ended);
  await expect(trackSubagentRun(run, report(token, { state: 'failed', error_code: 'x' }))).rejects.toMatchObject({ code: 'call_reported_otherwise' });
  await expect(trackSubagentRun(run, report(token, { state: 'running', ended_at: null }))).rejects.toMatchObject({ code: 'call_reported_otherwise' });
  expect(await t.ctx.db('audit_log').where({ target_id: grant.grant_id, action: 'subagent_run.track' })).toHaveLength(2);
});

test('what the platform saw is not reported away, and a report gives way to what it sees', async () => {
  const run = running();
  const seen = await delegate(run);
  await call(run, seen.grant.grant_id);
  expect(await trackSubagentRun(run, report(seen.token))).toMatchObject({ source: 'call', state: 'running', output_sha256: null });
  const delegated = await delegate(run);
  await trackSubagentRun(run, report(delegated.token));
  await call(run, delegated.grant.grant_id);
  expect(await getSubagentRun(ada, delegated.grant)).toMatchObject({ source: 'call', state: 'running' });
});

test('reports of others, and with tokens that are not ours, are refused alike; one of a grant that is over is taken', async () => {
  const run = running();
  const { grant, token } = await delegate(run);
  const other = await liveAgent(t.ctx, ben.actor.user_id);
  const refused = { name: 'Forbidden', code: 'grant_invalid' };
  await expect(trackSubagentRun(ben, report(token))).rejects.toMatchObject(refused);
  await expect(trackSubagentRun(runOf(t.ctx, other, ada.actor.user_id), report(token))).rejects.toMatchObject(refused);
  await expect(trackSubagentRun(running(), report(token)), 'another run of the same agent').rejects.toMatchObject(refused);
  const last = token.endsWith('A') ? 'B' : 'A';
  for (const forged of ['x', 'a.b', token.slice(0, -1) + last, `${token}.x`])
    await expect(trackSubagentRun(run, report(forged))).rejects.toMatchObject(refused);
  const issued_at = new Date(Date.now() - 600_000);
  expect(await t.ctx.db('subagent_runs').where({ grant_id: grant.grant_id })).toEqual([]);
  const later = { ...run, clock: () => issued_at.getTime() + 3_600_000 };
  expect(await trackSubagentRun(later, report(token))).toMatchObject({ source: 'reported' });
});

test('a call whose arguments were kept is made again, under a new grant that allows no more than the old', async () => {
  const run = running();
  const { grant } = await delegate(run);
  await inTx(t.ctx, async (ctx) => {
    await ensureRun({ ...ctx, actor: run.actor });
    await startRun(ctx, {
      userId: ada.actor.user_id,
      agent: callee.name,
      skill: 'look',
      args: { deep: [1] },
      grantId: grant.grant_id,
      parent: run.actor,
    });
  });
  expect(await getSubagentRun(ada, grant)).toMatchObject({ can_rerun: true, source: 'call' });
  // It ends with its run, as grants do: the user gives a new one.
  await t.ctx.db('grants').where({ grant_id: grant.grant_id }).update({ revoked_at: new Date().toISOString(), revoked_reason: 'its run has ended' });
  const again = await rerunSubagentRun(ada, grant);
  expect(again).toMatchObject({
    source: 'rerun',
    rerun_of: grant.grant_id,
    agent: callee.name,
    skill: 'look',
    caller_agent: null,
    state: 'running',
    can_rerun: true,
  });
  expect(await t.ctx.db('runs').where('run_id', again.run_id).first()).toMatchObject({
    args: { deep: [1] },
    skill: 'look',
    grant_id: again.grant_id,
    parent_run_id: null,
  });
  const before = await t.ctx.db('grants').where({ grant_id: grant.grant_id }).first();
  const after = await t.ctx.db('grants').where({ grant_id: again.grant_id }).first();
  if (!before || !after) throw new Error('a grant is missing');
  expect(after).toMatchObject({ audience: callee.name, issuer: ada.actor.user_id, parent_grant_id: null, revoked_at: null });
  const [parent, child] = [await grantOfRow(t.ctx, before), await grantOfRow(t.ctx, after)];
  const sameTime = { issued_at: parent.issued_at, expires_at: parent.expires_at };
  expect(containmentFault({ ...parent, depth: 0 }, { ...child, issuer: parent.audience, ...sameTime })).toBeUndefined();
  expect(child.expires_at - child.issued_at).toBe(parent.expires_at - parent.issued_at);
  const third = await rerunSubagentRun(ada, { grant_id: again.grant_id });
  expect(third.rerun_of).toBe(again.grant_id);
  await expect(rerunSubagentRun(ben, grant)).rejects.toMatchObject({ code: 'subagent_run_not_found' });
  await t.ctx.db('agents').where({ agent_id: callee.id }).update({ deleted_at: new Date().toISOString(), live_deploy_id: null });
  await expect(rerunSubagentRun(ada, grant)).rejects.toMatchObject({ code: 'agent_deleted' });
  await t.ctx.db('agents').where({ agent_id: callee.id }).update({ deleted_at: null, live_deploy_id: callee.deployId });
});

test('the list is the account’s own, newest first, in pages that lose and repeat nothing', async () => {
  expect((await listSubagentRuns(ben, { limit: 10 })).items).toEqual([]);
  const all = (await listSubagentRuns(ada, { limit: 200 })).items.map(({ grant_id }) => grant_id);
  const paged: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await listSubagentRuns(ada, { limit: 2, ...(cursor === undefined ? {} : { cursor }) });
    paged.push(...page.items.map(({ grant_id }) => grant_id));
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  expect(paged).toEqual(all);
  expect((await listSubagentRuns(ada, { limit: 10, agent: 'nobody' })).items).toEqual([]);
  expect((await listSubagentRuns(ada, { limit: 200, agent: callee.name })).items).toHaveLength(all.length);
});
