// One agent that fails in every way its author can choose, and one they did not; every surface tells the same
// of it.
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { socketOf } from '../support/agent-socket.ts';
import { AgentCard } from '#contract/wire/card.ts';
import { callAtHost } from '#test/support/calls.ts';
import { resolveRoute } from '#core/agents/route/resolve.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { driveRun } from '#core/runs/durable/drive.ts';
import { Agent, AgentNotReady, CallFailed, skill, SkillInputError, SkillInvocationError, z } from '#sdk/typescript/index.ts';
import { declare } from '#sdk/typescript/authoring/declare.ts';
import { A2AClient } from '#sdk/typescript/platform/a2a-client.ts';
import { startAgent, type StartedAgent } from '#sdk/typescript/runtime.ts';
import { makeTool, type Tool } from '#cli/test/tool.ts';
import { type LiveAgent, liveAgent } from '../support/runs.ts';
import { createWorld, type World } from './world.ts';
import { freePort } from '../support/free-port.ts';

const SECRET = 'the inside of the agent';
const noInput = z.object({});
let health: 'well' | 'is false' | 'says why' = 'well';
const opened = Promise.withResolvers<void>();

class Shop extends Agent {
  override name = 'shop';
  override description = 'Fails.';
  override version = '1.0.0';
  override concurrency = 20;
  override async health(): Promise<boolean> {
    if (health === 'says why') throw new AgentNotReady('The shop is being painted');
    return health === 'well';
  }
  closed = skill({ input: noInput }, async () => {
    throw new SkillInvocationError('The shop is closed until Monday');
  });
  taken = skill({ input: noInput }, async () => {
    throw new SkillInvocationError('The table is taken', { status: 409 });
  });
  unknown = skill({ input: noInput }, async () => {
    throw new SkillInputError('There is no such article', [{ path: ['order', 0, 'article'], code: 'unknown_article', message: 'is not sold here' }]);
  });
  wrong = skill({ input: noInput, output: z.object({ total: z.number() }) }, async () => ({ total: 'much' as unknown as number }));
  keyless = skill({ input: noInput }, async (ctx) => ctx.secret('SHOP_KEY'));
  late = skill({ input: noInput, timeoutSeconds: 0.05 }, async (ctx) => {
    await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()));
  });
  quick = skill({ input: noInput }, async () => 'quick');
  looping = skill({ input: noInput, timeoutSeconds: 0.3 }, async () => {
    for (;;);
  });
  /** In the same process all the while. */
  waits = skill({ input: noInput }, async () => {
    const local = { before: [1] };
    await opened.promise;
    return { ...local, after: 2 };
  });
  broken = skill({ input: noInput }, async () => {
    throw new Error(SECRET);
  });
}

interface Said {
  code: string;
  message: string;
  issues?: unknown;
}

const CASES: Record<string, { code: string; message: RegExp; status: number; issues?: unknown[] }> = {
  closed: { code: 'skill_invocation_error', message: /^The shop is closed until Monday$/, status: 500 },
  taken: { code: 'skill_invocation_error', message: /^The table is taken$/, status: 409 },
  unknown: {
    code: 'skill_input_error',
    message: /^There is no such article$/,
    status: 400,
    issues: [{ path: ['order', 0, 'article'], code: 'unknown_article', message: 'is not sold here' }],
  },
  wrong: {
    code: 'skill_output_error',
    message: /^the result of "wrong" does not fit its output schema: total: Invalid input: expected number, received string$/,
    status: 500,
    issues: [{ path: ['total'], code: 'invalid_type', message: 'Invalid input: expected number, received string' }],
  },
  keyless: { code: 'secret_missing', message: /^the secret "SHOP_KEY" is not set for this agent$/, status: 500 },
  late: { code: 'skill_timeout', message: /^skill "late" did not finish within 0.05 s$/, status: 504 },
  looping: { code: 'skill_timeout', message: /^skill "looping" did not finish within 0.3 s$/, status: 504 },
  broken: { code: 'skill_invocation_error', message: /^skill "broken" failed: find the reason in the agent's log, request \S+$/, status: 500 },
};

let world: World;
let agent: LiveAgent;
let server: StartedAgent;
/** The same agent at an address of its own, as other agents call it. */
let address: StartedAgent;
let addressUrl = '';
let tool: Tool;
let platform: Ctx;
let ada: Ctx;

beforeAll(async () => {
  world = await createWorld();
  const { user_id } = await ownerOf(world);
  tool = await makeTool(world.url, '/nowhere');
  platform = { ...world.ctx, actor: { kind: 'platform', service: 'test' } };
  ada = { ...world.ctx, actor: { kind: 'user', user_id, email: '', operator: false, via: 'bearer' } };
  const card = AgentCard.parse(declare(new Shop()).card);
  agent = await liveAgent(world.ctx, user_id, { card: { skills: card.skills, runtime: card.runtime } });
  const whole = JSON.stringify({ ...card, name: agent.name });
  for (const table of ['agents', 'deployments'] as const) await world.ctx.db(table).where({ agent_id: agent.id }).update({ card: whole });
  const path = socketOf(world.ctx.drivers.runtime.address(agent.instanceId));
  await mkdir(dirname(path), { recursive: true });
  server = await startAgent(Shop, { apiKey: 'the-key', listen: { path }, onLog: () => undefined });
  const port = await freePort();
  address = await startAgent(Shop, { apiKey: 'the-key', listen: { port, host: '127.0.0.1' }, onLog: () => undefined });
  addressUrl = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  await Promise.all([server.shutdown(), address.shutdown(), tool.remove()]);
  await world.close();
});

async function ownerOf({ ctx, records }: World): Promise<{ user_id: string }> {
  const row = await ctx
    .db('agents')
    .where({ name: records['name'] ?? '' })
    .first('owner_id');
  return { user_id: row?.owner_id ?? '' };
}

const api = (path: string, accept = 'application/json', body: unknown = {}): Promise<Response> =>
  fetch(`${world.url}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.tokens.ada}`, 'content-type': 'application/json', accept },
    body: JSON.stringify(body),
  });

async function atHost(face: Parameters<typeof callAtHost>[1]['face'], body: unknown, headers: string[] = []): Promise<{ status: number; text: string }> {
  const route = await resolveRoute(ada, agent.name);
  if (!route) throw new Error('the agent is not live');
  const own = ['authorization', 'Bearer the-key', 'content-type', 'application/json', ...headers];
  const answer = await callAtHost(ada, {
    route,
    actor: ada.actor,
    face,
    body: Buffer.from(JSON.stringify(body)),
    headers: own,
    signal: AbortSignal.timeout(20_000),
  });
  return { status: answer.status, text: Buffer.isBuffer(answer.body) ? answer.body.toString() : await text(answer.body) };
}

// Safe: the tests hold what they read against what they expect.
const read = (json: string): { detail: Said } => JSON.parse(json) as { detail: Said };

function failedIn(events: string): Said {
  const line = events.split('\n').find((each) => each.startsWith('data: ') && each.includes('"kind":"failed"')) ?? '';
  return (JSON.parse(line.slice(6)) as { payload: { detail: Said } }).payload.detail;
}

async function started(path: string, body: unknown): Promise<Record<string, string>> {
  const response = await api(path, 'application/json', body);
  const made = (await response.json()) as Record<string, string>;
  expect([response.status, made]).toEqual([expect.toBeOneOf([201, 202]), expect.objectContaining({ run_id: expect.any(String) })]);
  return made;
}

async function errorOf(runId: string): Promise<Said> {
  await driveRun(platform, runId, AbortSignal.timeout(20_000));
  const response = await fetch(`${world.url}/v1/agents/${agent.name}/api/runs/${runId}`, { headers: { authorization: `Bearer ${world.tokens.ada}` } });
  return ((await response.json()) as { error: Said }).error;
}

async function toolError(name: string, more: object, headers: string[]): Promise<Said> {
  const params = { name, arguments: {}, ...more };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const { text: body } = await atHost({ kind: 'tools' }, call, ['accept', 'application/json, text/event-stream', ...headers]);
  const line = body.startsWith('{') ? body : (body.split('\n').find((each) => each.startsWith('data: ')) ?? '').slice(6);
  const { result } = JSON.parse(line) as { result: { isError: boolean; content: { text: string }[]; _meta: { 'svc/error': Said } } };
  const said = result._meta['svc/error'];
  expect(result.isError).toBe(true);
  expect(result.content[0]?.text).toContain(`${said.code}: ${said.message}`);
  const receipt = await world.ctx.db('receipts').where({ agent_id: agent.id }).orderBy('seq', 'desc').first('payload');
  expect(receipt?.payload).toMatchObject({ skill: name, status: 'error', error_code: said.code });
  return said;
}

const SURFACES: Record<string, (skill: string) => Promise<Said>> = {
  'the API': async (name) => {
    const response = await api(`/agents/${agent.name}/api/invoke/${name}`);
    const { status = 500 } = CASES[name] ?? {};
    // What the agent broke is a fault between it and us; what its caller can mend keeps its status.
    expect(response.status).toBe(status === 500 ? 502 : status);
    return read(await response.text()).detail;
  },
  'the API, as a stream': async (name) => failedIn(await (await api(`/agents/${agent.name}/api/invoke/${name}`, 'text/event-stream')).text()),
  'the agent’s address': async (name) => {
    const { status, text: body } = await atHost({ kind: 'skill', skill: name }, {});
    expect(status).toBe(CASES[name]?.status);
    return read(body).detail;
  },
  'the agent’s address, as a stream': async (name) => failedIn((await atHost({ kind: 'skill', skill: name }, {}, ['accept', 'text/event-stream'])).text),
  'MCP of 2025': async (name) => toolError(name, {}, ['mcp-protocol-version', '2025-11-25']),
  'MCP of 2026': async (name) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    return toolError(name, { _meta }, ['mcp-protocol-version', '2026-07-28', 'mcp-method', 'tools/call', 'mcp-name', name]);
  },
  A2A: async (name) => {
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ data: { skill: name, args: {} } }] };
    const { text: body } = await atHost({ kind: 'task', path: '/message:send' }, { message }, ['a2a-version', '1.0']);
    const { task } = JSON.parse(body) as { task: { status: { message: { parts: { text: string }[]; metadata: Said } } } };
    const { parts, metadata } = task.status.message;
    const [code = '', ...words] = (parts[0]?.text ?? '').split(': ');
    expect(metadata.code).toBe(code);
    return { code, message: words.join(': '), ...(metadata.issues ? { issues: metadata.issues } : {}) };
  },
  'a durable run': async (name) => errorOf((await started(`/agents/${agent.name}/api/runs/${name}/start`, {}))['run_id'] ?? ''),
  'a session': async (name) => errorOf((await started(`/agents/${agent.name}/sessions`, { skill: name, args: {} }))['run_id'] ?? ''),
  'a schedule': async (name) => {
    const target = { kind: 'skill' as const, agent: agent.name, skill: name, args: {} };
    const { schedule_id } = await world.as('ada').schedules.create({ body: { cron: '0 0 1 1 *', paused: true, target } });
    const { run_id } = await world.as('ada').schedules.run({ params: { schedule_id } });
    const error = await errorOf(run_id ?? '');
    const { items } = await world.as('ada').schedules.list({ query: { limit: 1 } });
    expect(items[0]).toMatchObject({ schedule_id, last_error: error, last_run: { error } });
    return error;
  },
  chat: async (name) => {
    const turn = (await (await api('/me/chat', 'application/json', { message: `@${agent.name}.${name} {}` })).json()) as { error: Said; text: string };
    expect(turn.text).toBe(turn.error.message);
    return turn.error;
  },
  'svc call': async (name) => {
    const { code, err } = await tool.run(['call', agent.name, name], { env: { SVC_TOKEN: world.tokens.ada } });
    const { message, code: expected = '', issues } = CASES[name] ?? {};
    expect([code, err.split('\n').some((line) => message && new RegExp(message.source.replace(/^\^|\$$/g, ''), 'i').test(line))], err).toEqual([1, true]);
    expect(err).not.toContain(SECRET);
    if (issues) expect(err).toContain(name === 'unknown' ? 'order.0.article: is not sold here' : 'total: Invalid input');
    const said = await SURFACES['a durable run']?.(name);
    if (!said) throw new Error('there is no such surface');
    expect(said.code).toBe(expected);
    return said;
  },
  'another agent’s call': async (name) => {
    const failed: unknown = await new A2AClient({ bearer: () => 'the-key' }).call(addressUrl, name, {}).catch((error: unknown) => error);
    if (!(failed instanceof CallFailed)) throw new Error('it did not fail');
    return {
      code: failed.calleeCode,
      message: failed.message.replace(`${addressUrl}/${name}: `, ''),
      ...(failed.issues.length > 0 && { issues: failed.issues }),
    };
  },
};

/**
 * A loop holds a processor until the watchdog ends it, a second each: it meets the ways on which the platform
 * waits in different places.
 */
const LOOPED = ['the API', 'a durable run', 'another agent’s call'];

let waiting: Promise<unknown>;
beforeAll(() => {
  waiting = new A2AClient({ bearer: () => 'the-key' }).call(addressUrl, 'waits', {}, { timeoutSeconds: 3_600 });
  waiting.catch(() => undefined);
});

describe.each(Object.entries(CASES))('%s', (name, { code, message, issues }) => {
  const surfaces = Object.entries(SURFACES).filter(([surface]) => name !== 'looping' || LOOPED.includes(surface));
  test.each(surfaces)('at %s', async (_surface, call) => {
    const said = await call(name);
    expect(said).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(said.issues).toEqual(issues);
    expect(JSON.stringify(said)).not.toContain(SECRET);
  });
});

test('a run that was in the process through all of it goes on with its locals', async () => {
  opened.resolve();
  expect(await waiting).toMatchObject({ result: { before: [1], after: 2 } });
});

test.each([
  ['is false', 'the agent took itself out of service'],
  ['says why', 'The shop is being painted'],
] as const)('an agent whose health() %s takes no plain call, with the reason and when to ask again', async (how, message) => {
  // The host asks every few seconds.
  const asked = async (): Promise<number> => {
    const signal = AbortSignal.timeout(20_000);
    const at = { address: world.ctx.drivers.runtime.address(agent.instanceId) };
    const { status, body } = await world.ctx.drivers.agentHttp.send(at, { method: 'GET', path: '/healthz', body: '', headers: {}, signal, timeoutMs: 20_000 });
    await text(body);
    return status;
  };
  health = how;
  expect(await asked()).toBe(503);
  const refused = await api(`/agents/${agent.name}/api/invoke/quick`);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  expect(read(await refused.text()).detail).toMatchObject({ code: 'agent_not_ready', message });
  health = 'well';
  expect(await asked()).toBe(200);
  expect((await api(`/agents/${agent.name}/api/invoke/quick`)).status).toBe(200);
});
