// What a call took and gave, and why it failed: each field of a run's record, for each who may ask.
import { mkdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { dirname } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPlatformToken } from '#core/identity/secret.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { newId } from '#core/kernel/ids.ts';
import { storeDueLogs } from '#core/runs/content/log.ts';
import { sweepContents } from '#core/runs/content/sweep.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { createWorld, type World } from '#test/api/world.ts';
import { socketOf } from '../support/agent-socket.ts';
import { type LiveAgent, liveAgent, runOf } from '../support/runs.ts';

const SECRET = 'the-callers-own-words';
const FAILED = { detail: { code: 'skill_invocation_error', message: 'Could not reach the warehouse' } };
const LINE = JSON.stringify({ level: 'error', message: 'skill failed', error: 'ECONNREFUSED', stack: 'Error: ECONNREFUSED\n    at Shop.order (shop.ts:7)' });

let world: World;
let agent: LiveAgent;
let machine: Server;
/** Runs that the machine was asked for, the newest last. */
const asked: string[] = [];

beforeAll(async () => {
  world = await createWorld();
  const { ctx } = world;
  const { owner_id = '' } = (await ctx.db('agents').where({ name: world.records['name'] ?? '' }).first('owner_id')) ?? {}; // prettier-ignore
  const skill = (id: string) => ({ id, name: id, input_schema: { type: 'object' }, output_schema: {} });
  agent = await liveAgent(ctx, owner_id, { card: { skills: [skill('order'), skill('broken')] }, visibility: 'public' });
  machine = createServer((req, res) => {
    asked.push(String(req.headers['x-svc-run-id']));
    void json(req).then((args) => {
      const broken = req.url === '/invoke/broken';
      res.writeHead(broken ? 500 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(broken ? FAILED : { zulu: 1, alpha: args }));
    });
  });
  const path = socketOf(ctx.drivers.runtime.address(agent.instanceId));
  await mkdir(dirname(path), { recursive: true });
  await new Promise<void>((resolve) => machine.listen(path, resolve));
  ctx.drivers.runtime.logs = async () =>
    asked.map((run_id, seq) => ({ seq, at: 1, stream: 'stderr' as const, text: JSON.stringify({ run_id, ...JSON.parse(LINE) }) }));
});
afterAll(async () => {
  machine.closeAllConnections();
  machine.close();
  await world.close();
});

const api = (path: string, token: string | undefined, init: RequestInit = {}) =>
  fetch(`${world.url}${path}`, { ...init, headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) } });

/** Resolves with the run once its content is stored. */
async function call(skill: 'order' | 'broken', token: string | undefined, stored = true): Promise<string> {
  await api(`/v1/agents/${agent.name}/api/invoke/${skill}`, token, { method: 'POST', body: JSON.stringify({ words: SECRET }) });
  const run = asked.at(-1) ?? '';
  if (stored) await expect.poll(() => world.ctx.db('call_contents').where({ run_id: run }).whereNot({ state: 'running' }).first()).toBeDefined();
  return run;
}

async function record(run: string, token: string | undefined) {
  const response = await api(`/v1/me/runs/${run}`, token);
  return { status: response.status, text: await response.text() };
}

const ofAgent = async (): Promise<string> => {
  const token = newPlatformToken();
  await world.ctx.db('platform_tokens').insert({ token_id: newId('tok'), token_hash: hashSecret(token), kind: 'agent_api', user_id: agent.ownerId, agent_id: agent.id, label: 'stolen' }); // prettier-ignore
  return token;
};
const ofRun = async (userId: string | null): Promise<string> =>
  mintRunCredential(world.ctx.drivers.vault, runOf(world.ctx, agent, userId).actor, world.ctx.clock() + 60_000);
const idOf = async (who: 'ada' | 'ben'): Promise<string> => (await world.as(who).auth.session()).user?.user_id ?? '';

test("input and output are the caller's, error and log lines the owner's too, and nothing anybody else's", async () => {
  const [ok, failed] = [await call('order', world.tokens.ben), await call('broken', world.tokens.ben)];
  const own = JSON.parse((await record(ok, world.tokens.ben)).text);
  expect(own).toMatchObject({ yours: true, own_agent: false, content: 'kept', input: { words: SECRET }, output: { zulu: 1, alpha: { words: SECRET } } });
  // The order in which the agent wrote it.
  expect(Object.keys(own.output)).toEqual(['zulu', 'alpha']);
  const why = JSON.parse((await record(failed, world.tokens.ben)).text);
  expect(why).toMatchObject({ state: 'failed', error: { code: 'skill_invocation_error', message: 'Could not reach the warehouse' } });
  expect(await world.as('ben').traces.input({ params: { run_id: ok } })).toMatchObject({ args: { words: SECRET } });

  const [seen, seenFailed] = [await record(ok, world.tokens.ada), await record(failed, world.tokens.ada)];
  expect(seen.text + seenFailed.text).not.toContain(SECRET);
  expect(JSON.parse(seenFailed.text)).toMatchObject({
    yours: false,
    own_agent: true,
    content: 'not_yours',
    input: null,
    output: null,
    text: '',
    job_id: null,
    caller: { kind: 'account', name: null },
    error: { message: 'Could not reach the warehouse' },
  });
  expect(seenFailed.text).not.toContain(await idOf('ben'));
  const log = await world.as('ada').myRuns.log({ params: { name: agent.name }, query: { run_id: failed } });
  expect(log.lines.map(({ text }) => JSON.parse(text).stack)).toEqual([JSON.parse(LINE).stack]);
  expect((await api(`/v1/agents/${agent.name}/log-lines?run_id=${failed}`, world.tokens.ben)).status).toBe(404);
  expect((await api(`/v1/me/runs/${failed}/input`, world.tokens.ada)).status).toBe(404);
  expect((await api(`/v1/agents/${agent.name}/api/runs/${ok}`, world.tokens.ada)).status).toBe(404);

  const others = { agent: await ofAgent(), 'own run': await ofRun(await idOf('ben')), run: await ofRun(null), nobody: undefined, junk: 'svc_pat_junk' };
  for (const [who, token] of Object.entries(others)) {
    for (const path of [
      `/v1/me/runs/${ok}`,
      `/v1/me/runs/${failed}`,
      '/v1/me/runs',
      `/v1/agents/${agent.name}/log-lines?run_id=${failed}`,
      '/v1/me/run-contents',
    ]) {
      const answer = await api(path, token);
      expect([401, 403, 404], `${who} ${path}`).toContain(answer.status);
      expect(await answer.text(), `${who} ${path}`).not.toMatch(new RegExp(`${SECRET}|warehouse|ECONNREFUSED`));
    }
  }
});

test('an anonymous call keeps why it failed, for the owner, and nothing else', async () => {
  const token = await ofAgent();
  const failed = await call('broken', token);
  const ok = await call('order', token, false);
  expect(await world.ctx.db('call_contents').where({ run_id: failed }).first('user_id', 'input', 'output')).toEqual({
    user_id: null,
    input: null,
    output: null,
  });
  expect(JSON.parse((await record(failed, world.tokens.ada)).text)).toMatchObject({ error: { message: 'Could not reach the warehouse' }, input: null });
  expect(JSON.parse((await record(ok, world.tokens.ada)).text)).toMatchObject({ state: 'succeeded', content: 'not_yours', output: null });
  expect((await record(failed, world.tokens.ben)).status).toBe(404);
});

test('the caller and the owner find a failed call in one list, page by page, without what it took; nobody else does', async () => {
  const failed = await call('broken', world.tokens.ben);
  const ben = world.as('ben');
  const [first] = (await ben.myRuns.list({ query: { state: 'failed' } })).items;
  expect(first).toMatchObject({ run_id: failed, kind: 'call', caller: { kind: 'you' }, message: 'Could not reach the warehouse', purpose: null });
  const all = (await ben.myRuns.list({ query: {} })).items.map(({ id }) => id);
  const paged: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await ben.myRuns.list({ query: { limit: 1, cursor } });
    paged.push(...page.items.map(({ id }) => id));
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  expect(paged).toEqual(all);
  const ada = world.as('ada');
  const seen = await ada.myRuns.list({ query: { state: 'failed', caller: 'account', agent: agent.name } });
  expect(seen.items[0]).toMatchObject({ run_id: failed, job_id: null, caller: { kind: 'account', name: null }, version: '1.0.0' });
  expect(JSON.stringify(seen)).not.toContain(SECRET);
  for (const query of [
    { search: 'brok' },
    { search: failed },
    { version: '1.0.0', kind: 'call' },
    { from: new Date(world.ctx.clock() - 60_000).toISOString() },
  ])
    expect(
      (await ben.myRuns.list({ query })).items.map(({ id }) => id),
      JSON.stringify(query),
    ).toContain(failed);
  for (const query of [
    { search: 'nothing%' },
    { version: '9' },
    { kind: 'run' },
    { charged: true },
    { state: 'running' as const },
    { until: '2020-01-01T00:00:00.000Z' },
  ])
    expect(
      (await ben.myRuns.list({ query })).items.map(({ id }) => id),
      JSON.stringify(query),
    ).not.toContain(failed);
  // A call of a challenge is left out, unless it is asked for.
  await world.ctx.db('receipts').where({ run_id: failed }).update({ purpose: 'challenge' });
  expect((await ben.myRuns.list({ query: {} })).items.map(({ id }) => id)).not.toContain(failed);
  expect((await ben.myRuns.list({ query: { probes: true } })).items.find(({ id }) => id === failed)).toMatchObject({ purpose: 'challenge' });
});

test('an account that keeps nothing has nothing kept, of what was before neither; and what is over is swept', async () => {
  const ben = world.as('ben');
  const before = await call('order', world.tokens.ben);
  expect(await ben.myRuns.keeping()).toEqual({ days: 1, kept: true });
  await ben.myRuns.keep({ body: { days: 0 } });
  const failed = await call('broken', world.tokens.ben);
  for (const run of [before, failed])
    expect(JSON.parse((await record(run, world.tokens.ben)).text)).toMatchObject({ content: 'not_kept', input: null, output: null });
  expect(
    await world.ctx
      .db('call_contents')
      .whereNotNull('input')
      .where({ user_id: await idOf('ben') }),
  ).toEqual([]);
  await ben.myRuns.keep({ body: { days: 7 } });
  const later = await call('order', world.tokens.ben);
  const at = world.ctx.clock();
  await sweepContents({ db: world.ctx.db, clock: () => at + 6 * 86_400_000 });
  expect((await ben.myRuns.get({ params: { run_id: later } })).content).toBe('kept');
  await sweepContents({ db: world.ctx.db, clock: () => at + 8 * 86_400_000 });
  expect((await ben.myRuns.get({ params: { run_id: later } })).content).toBe('not_kept');
  // The receipt stays.
  expect((await ben.myRuns.get({ params: { run_id: later } })).receipt_id).toMatch(/^rcp_/);
});

test('the log lines of a failed run outlive the log, for the owner of the agent alone, and no longer than the owner keeps contents', async () => {
  const { ctx } = world;
  const failed = await call('broken', world.tokens.ben);
  const well = await call('order', world.tokens.ben);
  const { clock } = ctx;
  const { logs } = ctx.drivers.runtime;
  const isGone = () => Promise.reject(new Error('gone'));
  // The host starts again: the lines are read once it is back.
  ctx.drivers.runtime.logs = isGone;
  await storeDueLogs({ ...ctx, clock: () => clock() + 60_000 });
  ctx.drivers.runtime.logs = logs;
  await storeDueLogs({ ...ctx, clock: () => clock() + 120_000 });
  // The machine is gone, and its log with it.
  ctx.drivers.runtime.logs = isGone;
  const lines = async (run: string) => (await world.as('ada').myRuns.log({ params: { name: agent.name }, query: { run_id: run } })).lines;
  expect((await lines(failed)).map(({ text }) => JSON.parse(text).error)).toEqual(['ECONNREFUSED']);
  expect(await lines(well)).toEqual([]);
  const { request_id = '' } = (await ctx.db('call_contents').where({ run_id: failed }).first('request_id')) ?? {};
  expect((await world.as('ada').myRuns.log({ params: { name: agent.name }, query: { request_id } })).lines).toHaveLength(1);
  // Its caller has neither the lines nor a field that holds them.
  expect((await record(failed, world.tokens.ben)).text).not.toMatch(/ECONNREFUSED|shop\.ts/);
  expect((await api(`/v1/agents/${agent.name}/log-lines?run_id=${failed}`, world.tokens.ben)).status).toBe(404);
  await world.as('ada').myRuns.keep({ body: { days: 0 } });
  expect(await lines(failed)).toEqual([]);
  await sweepContents({ db: ctx.db, clock: () => clock() + 1_000 });
  expect(await ctx.db('call_contents').whereNotNull('log')).toEqual([]);
  await world.as('ada').myRuns.keep({ body: { days: 1 } });
  ctx.drivers.runtime.logs = logs;
});

test('of an account in PII-safe mode nothing is stored, and its owner reads codes only', async () => {
  await world.as('ben').controlRoom.setPolicy({ body: { pii_safe_mode: true } });
  const failed = await call('broken', world.tokens.ben, false);
  const next = await call('broken', world.tokens.ada);
  await storeDueLogs({ ...world.ctx, clock: () => world.ctx.clock() + 60_000 });
  expect(await world.ctx.db('call_contents').where({ run_id: failed })).toEqual([]);
  expect(await world.as('ben').myRuns.keeping()).toMatchObject({ kept: false });
  for (const token of [world.tokens.ben, world.tokens.ada]) expect((await record(failed, token)).text).not.toContain('warehouse');
  expect((await record(next, world.tokens.ada)).text).toContain('warehouse');
});
