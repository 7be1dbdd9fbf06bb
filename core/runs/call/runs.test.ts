// What calls between agents leave and carry: the credential, the chain, the rows, the receipts' handoffs.
import { mkdir } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { socketOf } from '#test/support/agent-socket.ts';
import { createAuthenticator } from '../../identity/authenticate.ts';
import { LoginError } from '#drivers/idp/port.ts';
import { inTx } from '../../kernel/tx.ts';
import { audienceKey } from '../../workspace/grant/keys.ts';
import { mintGrant } from '../../workspace/grant/mint.ts';
import { checkGrant } from '#contract/crypto/grant-token.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent, runOf } from '#test/support/runs.ts';
import type { Actor, Ctx, RunActor } from '../../kernel/ctx.ts';
import { mintRunCredential, readRunCredential } from '../run/credential.ts';
import { ensureRun } from '../../kernel/ensure-run.ts';
import { sweepRuns } from './sweep-runs.ts';
import { invokeSkill } from '#test/support/calls.ts';
import type { SkillAnswer } from '#api/http/call-answer.ts';
import { cites } from '#test/spec/verifies.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
let front: LiveAgent;
let back: LiveAgent;
const servers: Server[] = [];
/** What an agent does while it is called; by its id. */
const handlers = new Map<string, (headers: IncomingHttpHeaders) => Promise<unknown> | unknown>();

async function serve(agent: LiveAgent): Promise<void> {
  const path = socketOf(t.ctx.drivers.runtime.address(agent.instanceId));
  await mkdir(dirname(path), { recursive: true });
  const server = createServer((req, res) => {
    req.resume();
    void Promise.resolve(handlers.get(agent.id)?.(req.headers) ?? {}).then(
      (value) => res.setHeader('content-type', 'application/json').end(JSON.stringify(value)),
      () => res.writeHead(500).end('{}'),
    );
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  servers.push(server);
}

beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
  front = await liveAgent(t.ctx, ada.actor.user_id, { visibility: 'public' });
  back = await liveAgent(t.ctx, ada.actor.user_id);
  await Promise.all([serve(front), serve(back)]);
});
afterAll(async () => {
  for (const server of servers) server.closeAllConnections();
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  await t.close();
});

const authenticator = (ctx: Ctx) =>
  createAuthenticator({
    db: ctx.db,
    vault: ctx.drivers.vault,
    clock: ctx.clock,
    accessTokens: { verify: () => Promise.reject(new LoginError('invalid', 'no')) },
  });
const authenticate = (token: string, ctx: Ctx = t.ctx): Promise<Actor> => authenticator(ctx)({ authorization: `Bearer ${token}`, cookies: {} });
const call = (as: Ctx, agent: LiveAgent, grant?: string, skill_name = 'work'): Promise<SkillAnswer> =>
  invokeSkill(as, { name: agent.name, skill_name, args: {}, accept: undefined, grant, signal: new AbortController().signal });
const asRun = async (headers: IncomingHttpHeaders): Promise<Ctx & { actor: RunActor }> => {
  const actor = await authenticate(String(headers['x-svc-run-token']));
  if (actor.kind !== 'run') throw new Error('not a run');
  return { ...t.ctx, actor };
};
const refusal = (promise: Promise<unknown>): Promise<{ name: string; code: string }> =>
  promise.then(
    () => Promise.reject(new Error('was not refused')),
    (error) => error,
  );
const receiptOf = async (out: SkillAnswer): Promise<Record<string, unknown>> =>
  ((
    await t.ctx
      .db('receipts')
      .where({ receipt_id: out.headers['x-svc-receipt-id'] ?? '' })
      .first()
  )?.payload ?? {}) as Record<string, unknown>;
const rowOf = (runId: string) => t.ctx.db('runs').where({ run_id: runId }).first();

test('a call that only computes carries a credential and leaves no row', async () => {
  let seen: RunActor | undefined;
  handlers.set(front.id, async (headers) => {
    seen = (await asRun(headers)).actor;
    return { run: headers['x-svc-run-id'] };
  });
  const out = await call(ben, front);
  expect(out.body).toEqual({ run: seen?.run_id });
  expect(seen).toMatchObject({
    agent_name: front.name,
    skill: 'work',
    user_id: ben.actor.user_id,
    owner_id: ada.actor.user_id,
    caller: { kind: 'user', id: ben.actor.user_id },
    chain: [`${front.name}/work`],
  });
  expect(await rowOf(seen?.run_id ?? '')).toBeUndefined();
});

test('a run calls on: the callee works for the same user, both have rows, receipts name the agent and the handoff', async () => {
  let child: RunActor | undefined;
  handlers.set(back.id, async (headers) => ((child = (await asRun(headers)).actor), {}));
  let inner: SkillAnswer | undefined;
  handlers.set(front.id, async (headers) => ((inner = await call(await asRun(headers), back)), {}));
  const out = await call(ben, front);
  expect(child).toMatchObject({
    user_id: ben.actor.user_id,
    caller: { kind: 'run', id: front.name },
    chain: [`${front.name}/work`, `${back.name}/work`],
  });
  const row = await rowOf(child?.run_id ?? '');
  expect(row).toMatchObject({ state: 'succeeded', depth: 2, parent_run_id: child?.parent_run_id, caller_kind: 'run' });
  expect(await rowOf(child?.parent_run_id ?? '')).toMatchObject({ state: 'succeeded', depth: 1 });
  const below = await receiptOf(inner ?? out);
  expect(below).toMatchObject({ caller: { kind: 'run', id: front.name } });
  expect(await receiptOf(out)).toMatchObject({
    caller: { kind: 'user', id: ben.actor.user_id },
    handoffs: [{ agent: back.name, skill: 'work', grant_id: null, receipt_id: below.receipt_id, status: 'ok' }],
  });
});

test("an unlisted agent is there for runs of its owner's agents, for no other: not for another's agent that its owner happens to have called", async () => {
  handlers.set(back.id, () => ({}));
  const strange = await liveAgent(t.ctx, ben.actor.user_id);
  expect(await call(runOf(t.ctx, front, null), back)).toMatchObject({ status: 200 });
  expect(await refusal(call(runOf(t.ctx, strange, ada.actor.user_id), back))).toMatchObject({ name: 'NotFound' });
  expect(await refusal(call(runOf(t.ctx, strange, ben.actor.user_id), back))).toMatchObject({ name: 'NotFound' });
  expect(await refusal(call(runOf(t.ctx, strange, null), back))).toMatchObject({ name: 'NotFound' });
});

test('loops and depth are bounded, whatever the agents do', cites('client.loops'), async () => {
  handlers.set(front.id, async (headers) => (await call(await asRun(headers), back)).body);
  handlers.set(back.id, async (headers) => ({ refused: (await refusal(call(await asRun(headers), front))).code }));
  expect((await call(ben, front)).body).toEqual({ refused: 'call_loop' });
  const chain = Array.from({ length: 8 }, (_, n) => `a${n}/work`);
  expect(await refusal(call(runOf(t.ctx, front, null, { chain }), back))).toMatchObject({ name: 'Conflict', code: 'call_depth_exceeded' });
});

test('credentials: altered, expired, of an ended run, of a deleted agent: 401 each; an open row keeps one alive', async () => {
  const { actor } = runOf(t.ctx, front, ada.actor.user_id);
  const token = await mintRunCredential(t.ctx.drivers.vault, actor, Date.now() + 1000);
  expect(await authenticate(token)).toEqual(actor);
  const [head = '', mac = ''] = token.split('.');
  const forged = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(head.slice(8), 'base64url').toString()), u: ben.actor.user_id })).toString('base64url');
  for (const bad of [`svc_run_${forged}.${mac}`, `${token}A`, token.slice(0, -1), `${head}.`, `svc_run_.${mac}`, `svc_run_${'A'.repeat(9000)}.${mac}`]) {
    expect(await readRunCredential(t.ctx.drivers.vault, bad), bad.slice(-20)).toBeUndefined();
    expect(await refusal(authenticate(bad))).toMatchObject({ name: 'Unauthorized' });
  }
  const later = { ...t.ctx, clock: () => Date.now() + 5000 };
  expect(await refusal(authenticate(token, later))).toMatchObject({ code: 'run_credential_invalid' });
  await inTx({ ...t.ctx, actor }, (ctx) => ensureRun(ctx));
  expect(await authenticate(token, later)).toEqual(actor);
  await t.ctx.db('runs').where({ run_id: actor.run_id }).update({ state: 'failed', ended_at: new Date().toISOString() });
  expect(await refusal(authenticate(token))).toMatchObject({ code: 'run_credential_invalid' });
  expect(await refusal(inTx({ ...t.ctx, actor }, (ctx) => ensureRun(ctx)))).toMatchObject({ code: 'run_ended' });

  const gone = await liveAgent(t.ctx, ada.actor.user_id);
  const last = await mintRunCredential(t.ctx.drivers.vault, runOf(t.ctx, gone, null).actor, Date.now() + 60_000);
  expect(await authenticate(last)).toMatchObject({ kind: 'run' });
  await t.ctx.db('instances').where({ instance_id: gone.instanceId }).update({ state: 'stopped' });
  expect(await refusal(authenticate(last))).toMatchObject({ code: 'run_credential_invalid' });
});

test('a credential ends with its call, also where the run left no row', async () => {
  let token = '';
  handlers.set(front.id, async (headers) => {
    token = String(headers['x-svc-run-token']);
    return { during: (await authenticate(token)).kind };
  });
  expect((await call(ben, front)).body).toEqual({ during: 'run' });
  const run = (await readRunCredential(t.ctx.drivers.vault, token))?.actor;
  if (!run) throw new Error('the agent got no credential');
  expect(await t.ctx.db('runs').where({ run_id: run.run_id }).first()).toBeUndefined();
  expect(await refusal(authenticate(token))).toMatchObject({ code: 'run_credential_invalid' });
  // Believed before the call ended, it makes no row after it either.
  expect(await refusal(inTx({ ...t.ctx, actor: run }, (ctx) => ensureRun(ctx)))).toMatchObject({ code: 'run_ended' });
  expect(await t.ctx.db('runs').where({ run_id: run.run_id }).first()).toBeUndefined();
});

test(
  'a grant that is passed on is named in the receipt; one that was revoked or is addressed elsewhere does not get in',
  cites('service.handover'),
  async () => {
    const mint = (audience: string) =>
      inTx(t.ctx, (ctx) =>
        mintGrant(ctx, { userId: ben.actor.user_id, audience, allow: ['a/**'], deny: [], mode: 'read_only', outputsPrefix: null, ttlSeconds: 60 }),
      );
    const { grant, token } = await mint(front.name);
    const key = await audienceKey(t.ctx, front.name);
    handlers.set(front.id, (headers) => checkGrant(String(headers['svc-grant']), key, { audience: front.name, now: Date.now() / 1000 }));
    const out = await call(ben, front, token);
    expect(out.body).toMatchObject({ ok: true });
    expect(await receiptOf(out)).toMatchObject({ grants: [grant.grant_id] });
    expect(await refusal(call(ben, front, (await mint(back.name)).token))).toMatchObject({ name: 'Forbidden', code: 'grant_invalid' });
    await t.ctx.db('grants').where({ grant_id: grant.grant_id }).update({ revoked_at: new Date().toISOString() });
    expect(await refusal(call(ben, front, token))).toMatchObject({ name: 'Forbidden', code: 'grant_invalid' });
  },
);

test('the sweeper ends a run when its time is over or its machine is gone', async () => {
  const old = runOf(t.ctx, front, ada.actor.user_id, { started_at: Date.now() - 10 * 3_600_000 });
  const young = runOf(t.ctx, front, ada.actor.user_id);
  const gone = await liveAgent(t.ctx, ada.actor.user_id);
  const lost = runOf(t.ctx, gone, ada.actor.user_id);
  for (const run of [old, young, lost]) await inTx(run, (ctx) => ensureRun(ctx));
  await t.ctx.db('instances').where({ instance_id: gone.instanceId }).update({ state: 'stopped' });
  await sweepRuns(t.ctx);
  expect(await rowOf(old.actor.run_id)).toMatchObject({ state: 'failed' });
  expect(await rowOf(lost.actor.run_id)).toMatchObject({ state: 'failed' });
  expect(await rowOf(young.actor.run_id)).toMatchObject({ state: 'running', ended_at: null });
});

test('a call whose caller has ended and whose way is lost is ended soon, with a receipt that says so', async () => {
  const hours = (n: number) => new Date(Date.now() - n * 3_600_000).toISOString();
  const parent = runOf(t.ctx, front, ada.actor.user_id);
  const child = runOf(t.ctx, back, ada.actor.user_id, { parent_run_id: parent.actor.run_id, chain: [...parent.actor.chain, 'back/go'] });
  await inTx(parent, async (ctx) => {
    await ensureRun(ctx);
    await ensureRun({ ...ctx, actor: child.actor }, { input_sha256: 'a'.repeat(64) });
  });
  await t.ctx
    .db('runs')
    .whereIn('run_id', [parent.actor.run_id, child.actor.run_id])
    .update({ started_at: hours(0.5) });
  await sweepRuns(t.ctx);
  expect(await rowOf(child.actor.run_id), 'somebody may listen').toMatchObject({ state: 'running' });
  await t.ctx
    .db('runs')
    .where({ run_id: parent.actor.run_id })
    .update({ state: 'failed', ended_at: hours(0.4) });
  expect(await sweepRuns(t.ctx)).toEqual([child.actor.run_id]);
  const row = await rowOf(child.actor.run_id);
  expect(row).toMatchObject({ state: 'failed' });
  const receipts = await t.ctx.db('receipts').where({ run_id: child.actor.run_id });
  expect(receipts).toMatchObject([{ receipt_id: row?.receipt_id, status: 'error', payload: expect.objectContaining({ error_code: 'call_lost' }) }]);
  expect(await sweepRuns(t.ctx)).toEqual([]);
});
