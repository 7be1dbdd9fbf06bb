// Each route that begins work in the background refuses wrong arguments at once and names the field.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newId } from '#core/kernel/ids.ts';
import { schemaWorkCounts } from '#core/kernel/schema-work/ask.ts';
import { argsIssuesApart } from '#core/runs/run/check-args.ts';
import { type LiveAgent, liveAgent } from '../support/runs.ts';
import { createWorld, type World } from './world.ts';

const input_schema = {
  type: 'object',
  properties: {
    name: { type: 'string', maxLength: 20 },
    order: { type: 'array', items: { $ref: '#/$defs/Line' } },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
  required: ['name'],
  additionalProperties: false,
  $defs: { Line: { type: 'object', properties: { count: { type: 'integer', minimum: 1 } }, required: ['count'] } },
};
const skill = { id: 'greet', name: 'greet', description: '', input_schema, output_schema: {} };

let world: World;
let agent: LiveAgent;
beforeAll(async () => {
  world = await createWorld();
  const owner = await world.ctx
    .db('agents')
    .where({ name: world.records['name'] ?? '' })
    .first('owner_id');
  agent = await liveAgent(world.ctx, owner?.owner_id ?? '');
  const card = { name: agent.name, description: '', version: '1.0.0', skills: [skill], runtime: { resources: { max_runtime_seconds: 30 } } };
  for (const table of ['agents', 'deployments'] as const)
    await world.ctx
      .db(table)
      .where({ agent_id: agent.id })
      .update({ card: JSON.stringify(card) });
});
afterAll(() => world.close());

interface Refusal {
  status: number;
  detail: { code: string; issues?: { path: (string | number)[]; message: string }[] };
}

async function post(path: string, body: unknown, method = 'POST'): Promise<Refusal> {
  const response = await fetch(`${world.url}/v1${path}`, {
    method,
    // A turn that begins is not waited for.
    headers: { authorization: `Bearer ${world.tokens.ada}`, 'content-type': 'application/json', prefer: 'wait=0' },
    body: JSON.stringify(body),
  });
  return { status: response.status, ...((await response.json()) as Omit<Refusal, 'status'>) };
}

const jobs = async (): Promise<number> => (await world.ctx.db('jobs').where({ agent_id: agent.id })).length;
const schedule = (target: object): object => ({ cron: '0 0 1 1 *', paused: true, target });
const skillTarget = (args: object): object => schedule({ kind: 'skill', agent: agent.name, skill: 'greet', args });

const wrong = { name: 'Ada', order: [{ count: 1 }, { count: 'two' }] };
const place = ['order', 1, 'count'];
const ROUTES: Record<string, { send: (args: object) => Promise<Refusal>; at: (string | number)[] }> = {
  'a durable run': { send: (args) => post(`/agents/${agent.name}/api/runs/greet/start`, args), at: ['body'] },
  'a session': { send: (args) => post(`/agents/${agent.name}/sessions`, { skill: 'greet', args }), at: ['body', 'args'] },
  'a schedule': { send: (args) => post('/me/schedules', skillTarget(args)), at: ['body', 'target', 'args'] },
  'a form in chat': { send: (args) => post('/me/chat', { agent: agent.name, skill: 'greet', args }), at: ['body', 'args'] },
};

test.each(Object.entries(ROUTES))('%s: the field, and what is wrong with it; nothing has begun', async (_route, { send, at }) => {
  const before = await jobs();
  expect(await send(wrong)).toMatchObject({
    status: 422,
    detail: { code: 'invalid_input', issues: [{ path: [...at, ...place], message: 'Invalid input: expected number, received string' }] },
  });
  expect((await send({})).detail.issues).toEqual([{ path: [...at, 'name'], message: 'Invalid input: expected string, received undefined' }]);
  expect((await send({ name: 'Ada', nmae: 'Bea' })).detail.issues?.[0]).toMatchObject({ path: at, message: expect.stringContaining('nmae') });
  expect((await send({ name: 'Ada', note: 5 })).detail.issues).toEqual([{ path: [...at, 'note'], message: 'Invalid input: expected string, received number' }]);
  expect(await jobs()).toBe(before);
  expect((await send({ name: 'Ada', order: [{ count: 2 }], note: null })).status).toBeLessThan(300);
});

test('written calls name the step and the field; what a reference stands for is not known yet', async () => {
  const said = (message: string): Promise<Refusal> => post('/me/chat', { message }, 'POST');
  const step = (args: object): string => `@${agent.name}.greet ${JSON.stringify(args)}`;
  const first = `${step({ name: 'Ada' })}\n`;
  const refused = await said(first + step(wrong));
  expect(refused).toMatchObject({ status: 422, detail: { issues: [{ path: ['body', 'message', first.length] }] } });
  expect(refused.detail.issues?.[0]?.message).toContain(`${agent.name}.greet: order.1.count: Invalid input: expected number, received string`);
  expect((await said(`${first}then ${step({ name: '$1.result', order: '$1.result.order' })}`)).status).toBe(200);
  const prompt = await post('/me/schedules', schedule({ kind: 'prompt', prompt: step({}) }));
  expect(prompt).toMatchObject({
    status: 422,
    detail: { issues: [{ path: ['body', 'target', 'prompt', 0], message: expect.stringContaining('greet: name:') }] },
  });
});

test('a skill that does not exist, and a schedule that is changed', async () => {
  expect(await post(`/agents/${agent.name}/api/runs/great/start`, {})).toMatchObject({ status: 404, detail: { code: 'skill_not_found' } });
  const made = (await (
    await fetch(`${world.url}/v1/me/schedules`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.tokens.ada}`, 'content-type': 'application/json' },
      body: JSON.stringify(skillTarget({ name: 'Ada' })),
    })
  ).json()) as { schedule_id: string };
  const changed = await post(`/me/schedules/${made.schedule_id}`, { target: { kind: 'skill', agent: agent.name, skill: 'greet', args: wrong } }, 'PATCH');
  expect(changed).toMatchObject({ status: 422, detail: { issues: [{ path: ['body', 'target', 'args', ...place] }] } });
});

test('a start reads its arguments once, before its transaction', async () => {
  const { begun } = schemaWorkCounts;
  const seen: number[] = [];
  const open = world.ctx.db.transaction.bind(world.ctx.db);
  const spy = vi.spyOn(world.ctx.db, 'transaction').mockImplementation(((...given: Parameters<typeof open>) => {
    seen.push(schemaWorkCounts.begun - begun);
    return open(...given);
  }) as typeof open);
  expect((await post(`/agents/${agent.name}/api/runs/greet/start`, wrong)).status).toBe(422);
  spy.mockRestore();
  expect([...new Set(seen)]).toEqual([1]);
  expect(schemaWorkCounts.begun - begun).toBe(1);
});

test('a schema made to take for ever is left to its agent', async () => {
  const mallory = newId('usr');
  const pattern = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } };
  expect(await argsIssuesApart(mallory, pattern, { text: `${'a'.repeat(60)}!` })).toEqual([]);
  const $defs: Record<string, object> = { a50: { type: 'number' } };
  for (let n = 0; n < 50; n += 1) $defs[`a${n}`] = { anyOf: [{ $ref: `#/$defs/a${n + 1}` }, { $ref: `#/$defs/a${n + 1}` }] };
  expect(await argsIssuesApart(mallory, { type: 'object', properties: { x: { $ref: '#/$defs/a0' } }, $defs }, { x: 'no number' })).toEqual([]);
  expect(await argsIssuesApart('odd', { type: 'object', properties: { x: { $ref: 'https://elsewhere.example/x' } } }, { x: 1 })).toEqual([]);
});
