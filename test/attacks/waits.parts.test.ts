// Pauses for a person, as somebody attacks them who has an account, an agent of their own and a token that
// they stole: over HTTP, against the real workflow engine.
import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { socketOf } from '../support/agent-socket.ts';
import { clientOf, type Client } from '#contract/client.ts';
import { runContext } from '#contract/run/run-context.ts';
import { createDeployActivities } from '#activities/deploy.ts';
import { createWaitActivities } from '#activities/waits.ts';
import { createJob } from '#core/jobs/create.ts';
import { deliverWait } from '#core/pauses/wait/deliver.ts';
import { endRunWithoutReceipt } from '#core/runs/run/end.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { inTx } from '#core/kernel/tx.ts';
import { cites } from '../spec/verifies.ts';
import { startTestWorkers } from '../support/workers.ts';
import { createWorld, type Who, type World } from '../api/world.ts';
import { type LiveAgent, listenAs, liveAgent, type Machine, runOf, type TestRun } from '../support/runs.ts';
import { testTemporal } from '../support/servers.ts';

let world: World;
let ada: string;
let ben: string;
/** Ada's own, and the attacker's, which Ada called. */
let own: LiveAgent;
let hostile: LiveAgent;
let machine: Machine;
let stopWorkers: () => Promise<unknown>;

beforeAll(async () => {
  const temporal = await testTemporal();
  world = await createWorld({ temporal });
  const { ctx } = world;
  const idOf = async (name: string) => (await ctx.db('users').where('email', 'like', `${name}-%`).first('user_id'))?.user_id ?? '';
  [ada, ben] = [await idOf('ada'), await idOf('ben')];
  own = await liveAgent(ctx, ada);
  hostile = await liveAgent(ctx, ben, { visibility: 'public' });
  machine = await listenAs(ctx, own);
  const activities = { ...createDeployActivities({ ...ctx, node: 'local' }), ...createWaitActivities(ctx) };
  stopWorkers = await startTestWorkers(temporal, activities);
});
afterAll(async () => {
  await stopWorkers();
  await machine.close();
  await world.close();
});

const tokenOf = (run: TestRun): Promise<string> => mintRunCredential(world.ctx.drivers.vault, run.actor, Date.now() + 60_000);
const as = (token: string): Client<{ runContext: typeof runContext }> => clientOf({ runContext }, { baseUrl: world.url, token });
const question = (): string => `qst_${randomUUID()}`;
const refused = (status: number, code?: string) => expect.objectContaining({ status, ...(code === undefined ? {} : { code }) });

async function ask(
  more: { id?: string; schema?: Record<string, unknown>; timeout_seconds?: number; agent?: LiveAgent; user?: string } = {},
): Promise<{ id: string; run: TestRun }> {
  const run = runOf(world.ctx, more.agent ?? own, more.user ?? ada);
  const { id = question(), schema, timeout_seconds = 120 } = more;
  await as(await tokenOf(run)).runContext.ask({ body: { question_id: id, prompt: 'Which?', timeout_seconds, ...(schema && { schema }) } });
  await vi.waitFor(async () => expect(await world.ctx.drivers.workflows.describe(`wait:${id}`)).toBe('running'), { timeout: 20_000 });
  return { id, run };
}

interface Answered {
  status: number;
  code: string | undefined;
  message: string | undefined;
}

async function answer(
  id: string,
  body: string | object,
  token: string | undefined = world.tokens.ada,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const response = await fetch(`${world.url}/v1/me/chat/questions/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token === '' ? {} : { authorization: `Bearer ${token}` }), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const { detail }: { detail?: { code?: string; message?: string } } = Object(await response.json());
  return { status: response.status, code: detail?.code, message: detail?.message };
}

const rowOf = (id: string) => world.ctx.db('waits').where({ wait_id: id }).first();
const untouched = async (id: string): Promise<void> => expect(await rowOf(id)).toMatchObject({ state: 'pending', resolution: null, resolved_by: null });
const settled = (id: string, what: object): Promise<void> =>
  vi.waitFor(async () => expect(await rowOf(id)).toMatchObject(what), { timeout: 20_000, interval: 50 });

describe('somebody else’s question', () => {
  test('is answered only by the asked user; all other credentials are refused', async () => {
    const { id, run } = await ask();
    const others: Record<string, [string, number]> = {
      'another user': [world.tokens.ben, 404],
      'an operator': [world.tokens.operator, 404],
      'a service of the platform': [world.tokens.platform, 403],
      "a token of the agent's tools": [world.tokens.agent, 403],
      'the run that asks': [await tokenOf(run), 403],
      "another agent's run for the same person": [await tokenOf(runOf(world.ctx, hostile, ada)), 403],
      nobody: ['', 401],
    };
    for (const [who, [token, status]] of Object.entries(others)) expect((await answer(id, { answer: 'mine' }, token)).status, who).toBe(status);
    await untouched(id);
    expect((await answer(id, { answer: 'blue' })).status).toBe(200);
  });

  test('reads the same as one that does not exist, so ids cannot be tried', async () => {
    const { id } = await ask();
    const theirs = await answer(id, { answer: 'x' }, world.tokens.ben);
    for (let n = 0; n < 20; n += 1) expect(await answer(question(), { answer: 'x' }, world.tokens.ben)).toEqual(theirs);
    for (const guess of ['qst_1', 'qst_%', `qst_${id.slice(4, 20)}`, `${id}x`, 'scr_x', "qst_' or 1=1 --"].map(encodeURIComponent)) {
      expect((await answer(guess, { answer: 'x' }, world.tokens.ben)).status, guess).toBe(422);
    }
    await untouched(id);
  });

  test('cannot be seen, withdrawn or taken over by another run', async () => {
    const { id } = await ask();
    for (const run of [runOf(world.ctx, hostile, ada), runOf(world.ctx, hostile, ben), runOf(world.ctx, own, ada)]) {
      const { runContext: other } = as(await tokenOf(run));
      await expect(other.getWait({ params: { wait_id: id } })).rejects.toEqual(refused(404));
      await expect(other.cancelWait({ params: { wait_id: id } })).rejects.toEqual(refused(404));
      await expect(other.ask({ body: { question_id: id, prompt: 'Your password?', timeout_seconds: 60 } })).rejects.toEqual(refused(409, 'wait_id_taken'));
    }
    expect(await rowOf(id)).toMatchObject({ state: 'pending', prompt: 'Which?', agent_name: own.name });
  });
});

describe('answers again', () => {
  test('another one is 409, with what stands; the same of the same person is the same answer, under any request', async () => {
    const { id } = await ask();
    const first = { 'x-request-id': `first-${randomUUID()}` };
    expect((await answer(id, { answer: 'blue' }, undefined, first)).status).toBe(200);
    const afterwards = async (): Promise<void> => {
      expect((await answer(id, { answer: 'blue' })).status).toBe(200);
      expect(await answer(id, { answer: 'red' })).toMatchObject({ status: 409, code: 'wait_resolved' });
      expect((await answer(id, { answer: 'blue' }, undefined, first)).status).toBe(200);
      // Another answer does not become the first one by its name.
      expect(await answer(id, { answer: 'red' }, undefined, first)).toMatchObject({ status: 409, code: 'wait_resolved' });
    };
    await afterwards();
    await settled(id, { state: 'answered', resolution: { answer: 'blue' } });
    await afterwards();
    expect((await answer(id, { answer: 'blue' }, world.tokens.ben, first)).status).toBe(404);
  });

  test('of a hundred at once one is taken and told; the others are 409', async () => {
    const { id } = await ask();
    const outcomes = await Promise.all(Array.from({ length: 100 }, (_, n) => answer(id, { answer: `answer ${n}` })));
    const byStatus = Map.groupBy(outcomes, ({ status }) => String(status));
    const counts = Object.fromEntries([...byStatus].map(([status, all]) => [status, all.length]));
    expect(counts).toEqual({ 200: 1, 409: 99 });
    const won = `answer ${outcomes.findIndex(({ status }) => status === 200)}`;
    await settled(id, { state: 'answered', resolution: expect.objectContaining({ answer: won }) });
    await vi.waitFor(() => expect(machine.told.filter(({ path }) => path === `/answers/${id}`).map(({ body }) => body)).toEqual([{ answer: won }]), {
      timeout: 20_000,
    });
  });

  test('a hundred different ones under one request id are not one', async () => {
    const { id } = await ask();
    const headers = { 'x-request-id': `same-${randomUUID()}` };
    const outcomes = await Promise.all(Array.from({ length: 100 }, (_, n) => answer(id, { answer: `answer ${n % 10}` }, undefined, headers)));
    await settled(id, { state: 'answered' });
    const { answer: won }: { answer?: string } = Object((await rowOf(id))?.resolution);
    outcomes.forEach(({ status }, n) => expect([status, n], `answer ${n % 10}`).toEqual([won === `answer ${n % 10}` ? 200 : 409, n]));
  });
});

describe('an answer that is none', () => {
  test('too large, too deep or no JSON is refused, and nothing of it is kept', async () => {
    const { id } = await ask();
    const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
    for (const [body, statuses] of [
      [JSON.stringify({ answer: 'x'.repeat(10 * 1024 * 1024) }), [413, 422]],
      [JSON.stringify({ answer: 'x'.repeat(65_537) }), [422]],
      [JSON.stringify({ answer: '\u{1F600}'.repeat(30_000) }), [422]],
      [`{"answer":${deep}}`, [422]],
      [`{"answer":"a","by":"${ben}"}`, [422]],
      ['{"answer":', [422]],
      ['[]', [422]],
      ['{"answer":7}', [422]],
      ['{"answer":{"form":"though none was asked for"}}', [422]],
    ] as const) {
      expect(statuses, body.slice(0, 60)).toContain((await answer(id, body)).status);
    }
    await untouched(id);
  });

  test('what is not in the schema is refused with its place; names of prototypes are names', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string', maxLength: 20 }, days: { type: 'integer', minimum: 1 } },
      required: ['city'],
      additionalProperties: false,
    };
    const { id } = await ask({ schema });
    for (const wrong of [{}, { city: 7 }, { city: 'x'.repeat(21) }, { city: 'Rome', days: 0 }, { city: 'Rome', more: 1 }, 'Rome']) {
      expect((await answer(id, { answer: wrong })).status, JSON.stringify(wrong)).toBe(422);
    }
    for (const body of [
      '{"answer":{"__proto__":{"city":"Rome"}}}',
      '{"answer":{"city":"Rome","__proto__":{"admin":true}}}',
      '{"answer":{"city":"Rome","constructor":{"prototype":{"admin":true}}}}',
    ])
      expect((await answer(id, body)).status, body).toBe(422);
    expect(Object(Object.create({})).admin).toBeUndefined();
    await untouched(id);
    expect((await answer(id, { answer: { city: 'Rome', days: 2 } })).status).toBe(200);
    await settled(id, { state: 'answered', resolution: expect.objectContaining({ answer: { city: 'Rome', days: 2 } }) });
  });

  test('a form is filled once by the person it asks, with what fits; nobody else, and not as a question', cites('chat.giveInput'), async () => {
    const schema = { type: 'object', properties: { days: { type: 'integer', minimum: 1 } }, required: ['days'], additionalProperties: false };
    const { id: request_id } = await ask({ id: `inr_${randomUUID()}`, schema });
    const give = (values: object, who: Who = 'ada') => world.as(who).chat.giveInput({ params: { request_id }, body: { values: { ...values } } });
    await expect(give({ days: 0 })).rejects.toEqual(refused(422));
    await expect(give({ days: 1, more: true })).rejects.toEqual(refused(422));
    for (const who of ['ben', 'operator'] as const) await expect(give({ days: 1 }, who)).rejects.toEqual(refused(404));
    expect((await answer(request_id, { answer: { days: 1 } })).status).toBe(422);
    await untouched(request_id);
    const both = await Promise.allSettled([give({ days: 2 }), give({ days: 3 })]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'fulfilled')).toMatchObject({ value: { request_id, state: 'answered' } });
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: refused(409) });
    await settled(request_id, { state: 'answered' });
  });

  test('a form that a hostile agent made is refused, or its answers are judged', async () => {
    const run = runOf(world.ctx, hostile, ada);
    const forms: Record<string, unknown>[] = [
      { type: 'object', properties: { __proto__: { type: 'string' } } },
      { anyOf: Array.from({ length: 2_000 }, () => ({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] })) },
      { type: 'array', items: { anyOf: Array.from({ length: 300 }, (_, n) => ({ const: n })) }, uniqueItems: true },
      { type: 'string', format: 'email' },
      { type: 'string', format: 'regex' },
    ];
    for (const schema of forms) {
      const id = question();
      const asked = await as(await tokenOf(run))
        .runContext.ask({ body: { question_id: id, prompt: 'Fill this', timeout_seconds: 60, schema } })
        .catch((error: unknown) => error);
      if (asked instanceof Error) {
        expect(asked).toEqual(refused(422));
        continue;
      }
      const list = Array.from({ length: 9_000 }, (_, n) => n % 299);
      for (const wrong of [list, `${'a'.repeat(30_000)}@`, { a: 7 }]) expect((await answer(id, { answer: wrong })).status).not.toBe(500);
    }
  });
});

describe('too late', () => {
  test('after the deadline it is 410, and the row says expired', async () => {
    const { id } = await ask({ timeout_seconds: 1 });
    await settled(id, { state: 'expired' });
    expect(await answer(id, { answer: 'late' })).toMatchObject({ status: 410, code: 'wait_over' });
    expect(await rowOf(id)).toMatchObject({ state: 'expired', resolution: {}, resolved_by: null });
  });

  test('to a run that has ended it is 410, and its credential opens nothing more', async () => {
    const { id, run } = await ask();
    await inTx(world.ctx, (ctx) => endRunWithoutReceipt(ctx, run.actor.run_id, 'cancelled'));
    await settled(id, { state: 'cancelled' });
    expect(await answer(id, { answer: 'late' })).toMatchObject({ status: 410, code: 'wait_over' });
    const { runContext: over } = as(await tokenOf(run));
    await expect(over.ask({ body: { question_id: question(), prompt: 'More?', timeout_seconds: 60 } })).rejects.toEqual(refused(401));
    await expect(over.getWait({ params: { wait_id: id } })).rejects.toEqual(refused(401));
  });
});

describe('a hostile agent', () => {
  test('asks only the user it runs for, only in its own job: its credential cannot be changed', async () => {
    const { db } = world.ctx;
    const job_id = await inTx(world.ctx, (ctx) => createJob(ctx, { kind: 'run', title: 'Private', ownerId: ada }));
    const run = runOf(world.ctx, hostile, ben);
    const token = await tokenOf(run);
    const [claims = '', mac = ''] = token.slice('svc_run_'.length).split('.');
    const mine: Record<string, unknown> = Object(JSON.parse(Buffer.from(claims, 'base64url').toString()));
    for (const changed of [{ u: ada }, { j: job_id }, { o: ada }, { r: 'run_x' }, { t: 'thr_x' }, { a: [own.id, own.name] }, { x: Date.now() + 1e12 }]) {
      const forged = `svc_run_${Buffer.from(JSON.stringify({ ...mine, ...changed })).toString('base64url')}.${mac}`;
      await expect(as(forged).runContext.ask({ body: { question_id: question(), prompt: 'x', timeout_seconds: 60 } })).rejects.toEqual(refused(401));
    }
    const extra = { asked_of: ada, job_id, user_id: ada, run_id: 'run_x', kind: 'scope_request', state: 'answered' };
    const asked = await fetch(`${world.url}/run/v1/questions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ question_id: question(), prompt: 'x', timeout_seconds: 60, ...extra }),
    });
    expect(asked.status).toBe(422);
    expect(await db('waits').where({ job_id })).toEqual([]);
    expect((await db('job_events').where({ job_id })).map(({ kind }) => kind)).toEqual(['job.queued']);
  });

  test('without a user behind its run it cannot ask', async () => {
    await expect(
      as(await tokenOf(runOf(world.ctx, hostile, null))).runContext.ask({ body: { question_id: question(), prompt: 'x', timeout_seconds: 60 } }),
    ).rejects.toEqual(refused(403, 'nobody_to_ask'));
  });

  test('asks so often and no more, however many questions it sends at once', async () => {
    const run = runOf(world.ctx, hostile, ada);
    const { runContext: it } = as(await tokenOf(run));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, () => it.ask({ body: { question_id: question(), prompt: 'x', timeout_seconds: 60 } })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toEqual(refused(409, 'too_many_waits'));
    await inTx(world.ctx, (ctx) => endRunWithoutReceipt(ctx, run.actor.run_id, 'cancelled'));
  });

  test('cannot have its question decided as something else', async () => {
    const { id } = await ask({ agent: hostile });
    const uuid = id.slice(4);
    for (const [path, body] of [
      [`scope-approvals/scr_${uuid}`, { decision: 'approve' }],
      [`scope-approvals/${id}`, { decision: 'approve' }],
      [`approvals/hof_${uuid}`, { decision: 'approve' }],
    ] as const) {
      const response = await fetch(`${world.url}/v1/me/chat/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${world.tokens.ada}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      await response.body?.cancel();
      expect([404, 422], path).toContain(response.status);
    }
    await untouched(id);
  });

  test('that answers the delivery without an end delays no other run and fills no memory', async () => {
    const { ctx } = world;
    const path = socketOf(ctx.drivers.runtime.address(hostile.instanceId));
    await mkdir(dirname(path), { recursive: true });
    let sent = 0;
    const server: Server = createServer((request, response) => {
      request.resume();
      response.writeHead(200);
      const pour = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536;
        if (!response.destroyed) response.once('drain', pour);
      };
      pour();
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    try {
      const { id } = await ask({ agent: hostile });
      expect((await answer(id, { answer: 'blue' })).status).toBe(200);
      await vi.waitFor(async () => expect((await rowOf(id))?.delivered_at).toBeInstanceOf(Date), { timeout: 15_000 });
      expect(sent).toBeLessThan(16 * 1024 * 1024);
      expect(await deliverWait(ctx, id)).toBe('delivered');
    } finally {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await rm(path, { force: true });
    }
  });
});

test('a token stolen from one agent’s run identifies no user, from any sender', async () => {
  const stolen = await tokenOf(runOf(world.ctx, hostile, ada));
  const who: Who[] = ['ada', 'ben'];
  for (const path of [
    '/v1/me',
    '/v1/me/activity',
    '/v1/me/jobs/job_00000000-0000-7000-8000-000000000000',
    '/v1/me/llm-creds',
    '/v1/me/grants',
    '/v1/agents/mine',
  ]) {
    const response = await fetch(world.url + path, { headers: { authorization: `Bearer ${stolen}` } });
    expect(path === '/v1/me' ? [200, 403, 404] : [403], path).toContain(response.status);
    await response.body?.cancel();
  }
  expect(who.map((name) => world.tokens[name])).not.toContain(stolen);
});
