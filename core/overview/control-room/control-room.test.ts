// The policy of an account, as runs meet it: a real database, calls as they begin, and 200 of them at once.
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { cites } from '#test/spec/verifies.ts';
import { type LiveAgent, liveAgent, runOf, type TestRun } from '#test/support/runs.ts';
import { resolveRoute } from '../../agents/route/resolve.ts';
import type { RunActor } from '../../kernel/ctx.ts';
import { inTx } from '../../kernel/tx.ts';
import { delegateGrant } from '../../workspace/grant/delegate.ts';
import { mintGrant } from '../../workspace/grant/mint.ts';
import { deleteGranted, writeGranted } from '../../workspace/patch/stage.ts';
import { beginCall } from '#test/support/calls.ts';
import { endCall } from '../../runs/call/end.ts';
import { startCallersRun } from '../../runs/durable/start-by-caller.ts';
import { succeeded } from '../../runs/run/outcome.ts';
import { approvedWrite } from '../../pauses/scope/approve-writes.ts';
import { requestScope } from '../../pauses/scope/request.ts';
import { recordWaitOutcome } from '../../pauses/wait/record-outcome.ts';
import { listDenials } from './denials.ts';
import { controlRoom } from './read.ts';
import { controlRoomReceipt } from './receipt.ts';
import { setPolicy } from './set-policy.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
let own: LiveAgent;
let other: LiveAgent;
let foreign: LiveAgent;
beforeAll(async () => void (t = await testContext()));
afterAll(() => t.close());
beforeEach(async () => {
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
  own = await liveAgent(t.ctx, ada.actor.user_id, { visibility: 'public', card: scoped });
  other = await liveAgent(t.ctx, ada.actor.user_id, { visibility: 'public' });
  foreign = await liveAgent(t.ctx, ben.actor.user_id, { visibility: 'public' });
});
const scoped = { skills: [{ id: 'work', name: 'work', policy: { allow_scope_expansion: true }, input_schema: {}, output_schema: {} }], workspace_access: { enabled: true, allowed_modes: ['read_only', 'read_write_overlay'] } }; // prettier-ignore

const run = (agent = own, user: TestUser | null = ada, more: Partial<RunActor> = {}): TestRun => runOf(t.ctx, agent, user?.actor.user_id ?? null, more);
const begin = async (of: TestRun, callee: LiveAgent, skill = 'work') => {
  const route = await resolveRoute(t.ctx, callee.name);
  if (!route) throw new Error('no route');
  return beginCall(of, { route, actor: of.actor, skill, grant: undefined, input: { inputSha256: 'a'.repeat(64), args: () => ({ n: 1 }) } });
};
const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'through',
    (error) => String(error.code),
  );
const call = (of: TestRun, callee: LiveAgent): Promise<string> => codeOf(begin(of, callee));
const denials = async (of = ada) => (await listDenials(of, { limit: 50 })).items.map(({ action, rule, resource, run_id, count }) => ({ action, rule, resource, run_id, count })); // prettier-ignore
/** A run that is called by `of`, as its credential would say. */
const childOf = async (of: TestRun, callee: LiveAgent): Promise<TestRun> => {
  const { call: begun } = await begin(of, callee);
  return { ...t.ctx, actor: begun.run };
};

test('nothing is set: the defaults are shown, and nothing is refused or counted', cites('controlRoom.get'), async () => {
  const room = await controlRoom(ada, { receipts: 5, denials: 5 });
  expect(room.policy).toMatchObject({
    set: false,
    version: 0,
    monthly_budget_cents: 5000,
    run_budget_cents: 500,
    max_agent_calls_per_run: 8,
    require_approval_for_file_writes: false,
    deny_external_network: false,
    only_approved_agents: false,
    approved_agents: [],
    pii_safe_mode: false,
  });
  const of = run();
  for (let n = 0; n < 10; n += 1) expect(await call(of, other)).toBe('through');
  expect(await t.ctx.db('policy_counts').where({ user_id: ada.actor.user_id })).toEqual([]);
  expect(room).toMatchObject({ waits: { items: [] }, denials: [], changes: [], spend: { cost_micros: 0, budgets: [] } });
});

describe('a change', () => {
  test('puts the whole policy in force, says what it makes weaker, and is kept', cites('controlRoom.setPolicy'), async () => {
    const first = await setPolicy(ada, { only_approved_agents: true, approved_agents: ['b', 'a', 'b'], max_agent_calls_per_run: 3 });
    expect(first).toMatchObject({ set: true, version: 1, max_agent_calls_per_run: 3, approved_agents: ['a', 'b'], monthly_budget_cents: 5000, loosened: [] });
    expect(await setPolicy(ada, { only_approved_agents: true })).toMatchObject({ version: 1, loosened: [] });
    const stricter = await setPolicy(ada, { version: 1, max_agent_calls_per_run: 2, daily_budget_cents: 100, approved_agents: ['a'] });
    expect(stricter).toMatchObject({ version: 2, loosened: [] });
    const looser = await setPolicy(ada, { daily_budget_cents: null, approved_agents: ['a', 'c'], only_approved_agents: false, run_budget_cents: 600 });
    expect(looser.loosened.toSorted()).toEqual(['approved_agents', 'daily_budget_cents', 'only_approved_agents', 'run_budget_cents']);
    const { changes, policy } = await controlRoom(ada, { receipts: 0, denials: 0 });
    expect(policy).toMatchObject({ version: 3, sha256: looser.sha256, loosened: [] });
    expect(changes.map(({ version }) => version)).toEqual([3, 2, 1]);
    expect(changes[0]?.changed).toContainEqual({ member: 'daily_budget_cents', before: 100, after: null, loosened: true });
    expect(changes[0]?.by).toBe(ada.actor.user_id);
  });

  test('of a version that is not the present one is refused; of two at once with one version one is', async () => {
    await setPolicy(ada, { max_agent_calls_per_run: 3 });
    const both = await Promise.all([1, 2].map((n) => codeOf(setPolicy(ada, { version: 1, max_agent_calls_per_run: n }))));
    expect(both.toSorted()).toEqual(['policy_version_conflict', 'through']);
    const firsts = await Promise.all([1, 2].map((n) => codeOf(setPolicy(ben, { version: 0, max_agent_calls_per_run: n }))));
    expect(firsts.toSorted()).toEqual(['policy_version_conflict', 'through']);
  });

  test('in another process is known within a second', async () => {
    const elsewhere = await testContext({ databaseUrl: t.databaseUrl });
    const of = run();
    expect(await call(of, other)).toBe('through');
    await setPolicy({ ...ada, db: elsewhere.ctx.db }, { only_approved_agents: true });
    await expect.poll(() => call(of, other), { timeout: 5_000 }).toBe('policy_denied');
    await elsewhere.close();
  });
});

describe('calls of agents', () => {
  test('200 at once: as many as allowed begin, and each refusal is counted', async () => {
    await setPolicy(ada, { max_agent_calls_per_run: 8 });
    const runs = [run(), run()];
    const outcomes = await Promise.all(Array.from({ length: 200 }, async (_one, at) => [at % 2, await call(runs[at % 2] ?? run(), other)] as const));
    for (const which of [0, 1]) {
      const mine = outcomes.filter(([of]) => of === which).map(([, outcome]) => outcome);
      expect([mine.filter((one) => one === 'through').length, new Set(mine)]).toEqual([8, new Set(['through', 'policy_denied'])]);
    }
    const counts = await t.ctx.db('policy_counts').where({ user_id: ada.actor.user_id }).select('taken');
    expect(counts.map(({ taken }) => taken)).toEqual([8, 8]);
    expect((await denials()).map(({ rule, count }) => [rule, count])).toEqual([
      ['max_agent_calls_per_run', 92],
      ['max_agent_calls_per_run', 92],
    ]);
  });

  test('a call that does not begin takes no place', async () => {
    await setPolicy(ada, { max_agent_calls_per_run: 1 });
    const of = run();
    // It is under way in its own chain: refused before it begins.
    expect(await call(run(own, ada, { ...of.actor, chain: [`${own.name}/work`, `${other.name}/work`] }), other)).toBe('call_loop');
    expect(await call(of, other)).toBe('through');
    expect(await call(of, other)).toBe('policy_denied');
  });

  test('what the called agent calls is counted with its caller, also where it is of somebody else who knows no such policy', async () => {
    await setPolicy(ada, { max_agent_calls_per_run: 2 });
    const of = run();
    const child = await childOf(of, foreign);
    expect(child.actor).toMatchObject({ owner_id: ben.actor.user_id, root_run_id: of.actor.run_id });
    expect([await call(child, other), await call(child, other), await call(of, other)]).toEqual(['through', 'policy_denied', 'policy_denied']);
  });

  test("an agent that nobody of ours called leads nobody around its owner's policy by another's agent", async () => {
    await setPolicy(ada, { only_approved_agents: true, approved_agents: [foreign.name] });
    const child = await childOf(run(own, null), foreign);
    expect(child.actor.user_id).toBeNull();
    expect(await call(child, other)).toBe('policy_denied');
    expect(await denials()).toMatchObject([{ action: 'handoff', rule: 'only_approved_agents', resource: other.name, run_id: child.actor.run_id }]);
    // Ben's own agents, called by nobody of Ada's, are held to nothing of hers.
    expect(await call(run(foreign, ben), other)).toBe('through');
  });

  test('only approved agents: own ones too, durable runs too', async () => {
    await setPolicy(ada, { only_approved_agents: true, approved_agents: [foreign.name] });
    const of = run();
    expect([await call(of, other), await call(of, foreign)]).toEqual(['policy_denied', 'through']);
    const start = (name: string) => codeOf(startCallersRun(of, { name, skill_name: 'work', args: {}, key: undefined, grant: undefined }));
    expect(await start(other.name)).toBe('policy_denied');
    // Nobody learns from it whether there is an agent that they may not see.
    const hidden = await liveAgent(t.ctx, ben.actor.user_id);
    expect([await start(hidden.name), await start('no-such-agent')]).toEqual(['agent_not_found', 'agent_not_found']);
  });

  test('an imported agent takes data out: refused where the network is', async () => {
    await t.ctx.db('deployments').where({ deploy_id: foreign.deployId }).update({ image: null });
    await setPolicy(ada, { deny_external_network: true });
    expect([await call(run(), foreign), await call(run(), other)]).toEqual(['policy_denied', 'through']);
  });
});

describe('what a refusal leaves', () => {
  test('a row, an event of its job, an audit row and a line in its receipt; what is repeated is counted', cites('controlRoom.receipt'), async () => {
    await setPolicy(ada, { only_approved_agents: true });
    const { job_id } = await jobOfAda();
    const of = run(own, ada, { job_id });
    for (let n = 0; n < 3; n += 1) expect(await call(of, other)).toBe('policy_denied');
    expect(await denials()).toEqual([{ action: 'handoff', rule: 'only_approved_agents', resource: other.name, run_id: of.actor.run_id, count: 3 }]);
    const events = await t.ctx.db('job_events').where({ job_id, kind: 'policy.denied' });
    expect(events).toHaveLength(1);
    const audited = await t.ctx.db('audit_log').where({ target_id: ada.actor.user_id, action: 'policy.deny' });
    expect(audited).toMatchObject([{ actor_kind: 'run', actor_id: own.name, details: { rule: 'only_approved_agents', run_id: of.actor.run_id } }]);
    const route = await resolveRoute(t.ctx, own.name);
    if (!route) throw new Error('no route');
    const caller = { kind: 'user', id: ada.actor.user_id, userId: ada.actor.user_id };
    const facts = {
      caller,
      route,
      skill: 'work',
      inputSha256: 'a'.repeat(64),
      startedAt: of.actor.started_at,
      run: { ...of.actor, job_id: null },
      grantId: null,
    };
    const { receipt_id = '' } = (await endCall(t.ctx, facts, succeeded({ done: true }))) ?? {};
    const row = await t.ctx.db('receipts').where({ receipt_id }).first();
    const { sha256 } = (await controlRoom(ada, { receipts: 0, denials: 0 })).policy;
    expect(row?.payload).toMatchObject({
      denials: [{ action: 'handoff', outcome: 'deny', rule: 'only_approved_agents', resource: other.name, count: 3, decision_id: null, policy_sha256: sha256 }],
    });
    const shown = await controlRoomReceipt(ada, { source: 'receipt', item_id: receipt_id });
    expect(shown).toMatchObject({ signed: true, status: 'ok', run_id: of.actor.run_id, denials: 1, policy: [{ resource: other.name }] });
    expect((await controlRoom(ada, { receipts: 5, denials: 5 })).receipts).toContainEqual(expect.objectContaining({ item_id: receipt_id, denials: 1 }));
    expect(await codeOf(controlRoomReceipt(ben, { source: 'receipt', item_id: receipt_id }))).toBe('receipt_not_found');
    expect(await denials(ben)).toEqual([]);
  });

  test('a run that tries on and on fills no more than its rows', async () => {
    await setPolicy(ada, { only_approved_agents: true });
    const of = run();
    await call(of, other);
    const first = await t.ctx.db('policy_denials').where({ run_id: of.actor.run_id }).first();
    if (!first) throw new Error('nothing was recorded');
    const more = Array.from({ length: 199 }, (_one, n) => ({ ...first, denial_id: `pdn_${n}`, denial_key: `${of.actor.run_id}${n}`, resource: `x${n}` }));
    await t.ctx.db('policy_denials').insert(more);
    for (const agent of [other, foreign]) await call(of, agent);
    const rows = await t.ctx.db('policy_denials').where({ run_id: of.actor.run_id, resource: '…' });
    expect(rows.map(({ count }) => count)).toEqual([1]);
  });
});

describe('files', () => {
  const mint = (audience: LiveAgent, mode: 'read_only' | 'read_write_overlay' = 'read_write_overlay') =>
    inTx(ada, (ctx) =>
      mintGrant(ctx, { userId: ada.actor.user_id, audience: audience.name, allow: ['**'], deny: [], mode, outputsPrefix: 'out', ttlSeconds: 300 }),
    );
  const delegation = { allow_patterns: ['**'], deny_patterns: [], mode: 'read_only' as const, outputs_prefix: null, ttl_seconds: 60 };
  const write = (of: TestRun, token: string, path = 'out/a.txt') => {
    const i = { token, path, body: Readable.from([Buffer.from('x')]), mime: undefined };
    return approvedWrite(of, i, () => writeGranted(of, i));
  };
  const pending = (promise: Promise<unknown>): Promise<string> =>
    promise.then(
      () => 'written',
      (error) => String(error.details.wait_id ?? error.code),
    );
  const decide = (id: string, decision: 'approved' | 'denied') => recordWaitOutcome(t.ctx, id, { decision, by: ada.actor.user_id, request_id: randomUUID() });

  test('a grant goes only to approved agents, from any delegating agent', async () => {
    await setPolicy(ada, { only_approved_agents: true, approved_agents: [own.name] });
    expect(await codeOf(delegateGrant(ada, { ...delegation, audience: other.name }))).toBe('policy_denied');
    const given = await delegateGrant(ada, { ...delegation, audience: own.name });
    expect(await codeOf(delegateGrant(run(), { ...delegation, parentToken: given.token, audience: foreign.name }))).toBe('policy_denied');
    // Also where the run that holds it works for somebody else, and its agent is not Ada's.
    const theirs = await mint(foreign, 'read_only');
    expect(await codeOf(delegateGrant(run(foreign, ben), { ...delegation, parentToken: theirs.token, audience: other.name }))).toBe('policy_denied');
    expect((await denials()).map(({ action, resource }) => [action, resource])).toEqual([
      ['grant', other.name],
      ['grant', foreign.name],
      ['grant', other.name],
    ]);
  });

  test('a run that writes asks once; approved, it writes on, and another run asks again', async () => {
    await setPolicy(ada, { require_approval_for_file_writes: true });
    const { token, grant } = await mint(own);
    const of = run();
    const [id, same] = await Promise.all([pending(write(of, token)), pending(write(of, token, 'out/b.txt'))]);
    expect([id, same]).toEqual([expect.stringMatching(/^scr_/), id]);
    const row = await t.ctx.db('waits').where({ wait_id: id }).first();
    expect(row).toMatchObject({ kind: 'scope_request', state: 'pending', asked_of: ada.actor.user_id });
    expect(row?.prompt).toContain('below out');
    await decide(id, 'approved');
    expect([await pending(write(of, token)), await pending(write(of, token, 'out/b.txt'))]).toEqual(['written', 'written']);
    expect(await codeOf(deleteGranted(of, { token, path: 'out/a.txt' }))).toBe('through');
    // No other grant was made, and none reaches further.
    expect(await t.ctx.db('grants').where({ parent_grant_id: grant.grant_id })).toEqual([]);
    expect(await pending(write(run(), token))).toMatch(/^scr_/);
    expect(await denials()).toMatchObject([{ action: 'write_file' }, { action: 'write_file' }, { action: 'write_file' }]);
  });

  test('denied, it writes nothing, and is told so', async () => {
    await setPolicy(ada, { require_approval_for_file_writes: true });
    const { token } = await mint(own);
    const of = run();
    const id = await pending(write(of, token));
    await decide(id, 'denied');
    await expect(write(of, token)).rejects.toMatchObject({ code: 'policy_denied', message: expect.stringContaining('was denied') });
    expect(await t.ctx.db('patches').where({ run_id: of.actor.run_id })).toEqual([]);
  });

  test('who approved that a run reads more has not approved that it writes', async () => {
    await setPolicy(ada, { require_approval_for_file_writes: true });
    const { token } = await mint(own);
    const of = run();
    const request_id = `scr_${randomUUID()}`;
    const wider = { request_id, grant_token: token, reason: 'more', read: ['more/**', '.env'], write_prefix: null, ttl_seconds: 60, mode: 'read_only' as const, timeout_seconds: 60 }; // prettier-ignore
    expect(await requestScope(of, wider)).toMatchObject({ state: 'pending' });
    await decide(request_id, 'approved');
    const access = await requestScope(of, wider);
    if (access.state !== 'approved') throw new Error(access.state);
    expect(await pending(write(of, access.grant_token))).toMatch(/^scr_|workspace_denied|grant_read_only/);
    expect(await t.ctx.db('patches').where({ run_id: of.actor.run_id })).toEqual([]);
  });

  test("a run of another account's caller cannot ask, so it writes nothing", async () => {
    await setPolicy(ada, { require_approval_for_file_writes: true });
    const { token } = await mint(foreign);
    expect(await pending(write(run(foreign, ben), token))).toBe('policy_denied');
    expect(await pending(write(run(foreign, null), token))).toBe('policy_denied');
  });

  test('an agent that is not approved gets no further access', async () => {
    await setPolicy(ada, { only_approved_agents: true });
    const asked = { request_id: `scr_${randomUUID()}`, grant_token: null, reason: 'to read', read: ['docs/**'], write_prefix: null, ttl_seconds: 60, mode: 'read_only' as const, timeout_seconds: 60 }; // prettier-ignore
    expect(await requestScope(run(), asked)).toMatchObject({ state: 'denied', reason: expect.stringContaining('approved_agents') });
  });
});

async function jobOfAda(): Promise<{ job_id: string }> {
  const { createJob } = await import('../../jobs/create.ts');
  return { job_id: await inTx(ada, (ctx) => createJob(ctx, { kind: 'run', title: 'Run', ownerId: ada.actor.user_id })) };
}
