// From the terminal through two agents, a model and a question to the answer: one trace. The API is a process
// of its own, as is the worker; between them are PostgreSQL and Temporal.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Agent as Dispatcher, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { makeTool, type Tool } from '#cli/test/tool.ts';
import { createClient } from '#contract/client.ts';
import { type SpanOut, TraceOut } from '#contract/runs/traces.ts';
import { GEN_AI, SVC } from '#contract/wire/trace-conventions.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { newId } from '#core/kernel/ids.ts';
import { newPlatformToken } from '#core/identity/secret.ts';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { controlPlane } from '#sdk/typescript/platform/control-plane.ts';
import { startAgent } from '#sdk/typescript/runtime/start.ts';
import { cites } from '#test/spec/verifies.ts';
import { socketOf } from '#test/support/agent-socket.ts';
import { startApiProcess, type ApiProcess } from '#test/support/api-process.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { startProvider, type Provider } from '#test/support/provider/provider.ts';
import { type LiveAgent, liveAgent } from '#test/support/runs.ts';
import { testDatabase, testTemporal } from '#test/support/servers.ts';
import { testWorkflows } from '#test/support/workflows.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const OUTER = 'b7ad6b7169203331';
const WORKER = fileURLToPath(new URL('../../../test/support/durable/worker.ts', import.meta.url));
const seen: Record<string, unknown>[] = [];

class Writer extends Agent {
  name = 'writer';
  description = 'For tests.';
  version = '1.0.0';
  draft = skill({}, async (ctx) => {
    seen.push({ ...ctx.trace });
    // The run's credential goes along on its own.
    const response = await fetch(`${process.env['SVC_CP_URL']}/llm/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm-1', max_tokens: 50, messages: [{ role: 'user', content: 'a greeting' }] }),
    });
    if (!response.ok) throw new Error(await response.text());
    return { text: 'Hello' };
  });
}

class Reporter extends Agent {
  name = 'reporter';
  description = 'For tests.';
  version = '1.0.0';
  writer = '';
  report = skill({}, async (ctx) => {
    seen.push({ ...ctx.trace });
    const { result } = await ctx.call(this.writer, 'draft', {});
    return { drafted: result, colour: await ctx.ask('Which colour?') };
  });
}

let api: ApiProcess;
let provider: Provider;
let t: TestContext;
let ada: TestUser;
let ben: TestUser;
let worker: ChildProcess;
let tool: Tool;
const tokens: Record<string, string> = {};
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  provider = await startProvider();
  const [{ url: databaseUrl }, temporal, { codePath: bundle }] = await Promise.all([testDatabase(), testTemporal(), testWorkflows()]);
  api = await startApiProcess({ SVC_LLM_LOCAL_HOSTS: provider.host }, { servers: { databaseUrl, temporal } });
  t = await testContext({ databaseUrl, temporal, folder: api.folder, hostSocket: api.hostSocket });
  const place = { database: databaseUrl, stateDir: api.folder, secretsDir: join(api.folder, 'secrets'), hostSocket: api.hostSocket, temporal, bundle };
  worker = fork(WORKER, [JSON.stringify(place)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
  await once(worker, 'message');
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
  for (const [name, user] of Object.entries({ ada, ben })) {
    tokens[name] = newPlatformToken();
    const row = {
      token_id: newId('tok'),
      token_hash: hashSecret(tokens[name]),
      kind: 'user',
      user_id: user.actor.user_id,
      agent_id: null,
      label: 'test',
    } as const;
    await t.ctx.db('platform_tokens').insert(row);
  }
  await client('ada').llmCreds.put({
    body: { name: 'main', provider: 'openai_compatible', base_url: provider.url, api_key: 'sk-0123456789abcdefghij', model: 'm-1' },
  });
  // Agents reach each other at <agent>.localhost, which the C library does not know.
  const before = getGlobalDispatcher();
  setGlobalDispatcher(new Dispatcher({ connect: { lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]) } }));
  process.env['SVC_CP_URL'] = api.url;
  ends.push(() => (setGlobalDispatcher(before), delete process.env['SVC_CP_URL']));
  const [writer, reporter] = [new Writer(), new Reporter()];
  const [inner, outer] = [
    await liveAgent(t.ctx, ada.actor.user_id, { visibility: 'public' }),
    await liveAgent(t.ctx, ada.actor.user_id, { visibility: 'public' }),
  ];
  await t.ctx.db('deployments').where({ deploy_id: inner.deployId }).update({ manifest: JSON.stringify({ models: { paid_by: 'owner' } }) }); // prettier-ignore
  reporter.writer = inner.name;
  await serve(writer, inner);
  await serve(reporter, outer);
  names = { inner: inner.name, outer: outer.name };
  tool = await makeTool(api.url, '/nowhere');
});
afterAll(async () => {
  for (const end of ends.reverse()) await end();
  worker?.kill('SIGKILL');
  await Promise.all([tool?.remove(), provider?.close()]);
  await t?.close();
  await api?.kill();
});
let names = { inner: '', outer: '' };

async function serve(agent: Writer | Reporter, live: LiveAgent): Promise<void> {
  agent.name = live.name;
  const path = socketOf(t.ctx.drivers.runtime.address(live.instanceId));
  await mkdir(dirname(path), { recursive: true });
  const platform = controlPlane({ url: api.url, agentsDomain: `localhost:${api.port}` });
  const started = await startAgent(agent, { apiKey: 'the-key', listen: { path }, platform, drainMs: 500, onLog: () => {} });
  const card = JSON.stringify(started.card);
  for (const table of ['agents', 'deployments'] as const) await t.ctx.db(table).where({ agent_id: live.id }).update({ card });
  ends.push(() => started.shutdown());
}

const client = (who: string) => createClient({ baseUrl: api.url, token: tokens[who] ?? '' });

/** Every span but the first hangs on one of the list, and all on the first. */
function expectOneTree(spans: readonly SpanOut[]): void {
  const parents = new Map(spans.map(({ span_id, parent_id }) => [span_id, parent_id]));
  expect(spans.filter(({ parent_id }) => parent_id === null)).toHaveLength(1);
  for (const { span_id, name } of spans) {
    let at: string | null = span_id;
    for (let up = 0; at !== null; up += 1) {
      expect(up, `${name} has a way to the first span`).toBeLessThan(spans.length);
      const above: string | null | undefined = parents.get(at);
      at = above === undefined ? expect.fail(`${name} hangs on what is not in the list`) : above;
    }
  }
}

test('a call from the terminal through two agents, a model and a question is one trace, which its caller alone reads', { ...cites('agents.run') }, async () => {
  const stdin = new PassThrough();
  const env = { SVC_TOKEN: tokens['ada'] ?? '', TRACEPARENT: `00-${TRACE}-${OUTER}-01` };
  const calling = tool.run(['call', names.outer, 'report'], { env, interactive: true, stdin });
  stdin.write('blue\n');
  const called = await calling;
  expect(called.code, called.err).toBe(0);
  expect(JSON.parse(called.out)).toEqual({ drafted: { text: 'Hello' }, colour: 'blue' });

  const top = await t.ctx.db('runs').where({ agent_name: names.outer }).first();
  expect(top).toMatchObject({ trace_id: TRACE, parent_span_id: OUTER });
  const runId = top?.run_id ?? '';
  const shown = await vi.waitFor(
    async () => {
      const read = await tool.run(['trace', runId, '--json'], { env });
      const trace = TraceOut.parse(JSON.parse(read.out));
      expect(trace.spans.every(({ end_ns }) => end_ns !== null)).toBe(true);
      return trace;
    },
    { timeout: 30_000, interval: 200 },
  );
  expect(shown).toMatchObject({ trace_id: TRACE, run_id: runId, root_run_id: runId, remote_parent_id: OUTER, truncated: false, refused_spans: 0 });
  const named = new Map(shown.spans.map((span) => [span.name, span]));
  expect([...named.keys()].sort()).toEqual([`chat m-1`, `invoke_agent ${names.inner}`, `invoke_agent ${names.outer}`, 'wait question'].sort());
  const of = (name: string): SpanOut => named.get(name) ?? expect.fail(name);
  expectOneTree(shown.spans);
  expect(of(`invoke_agent ${names.inner}`).parent_id).toBe(of(`invoke_agent ${names.outer}`).span_id);
  expect(of('wait question').parent_id).toBe(of(`invoke_agent ${names.outer}`).span_id);
  expect(of('chat m-1')).toMatchObject({ parent_id: of(`invoke_agent ${names.inner}`).span_id, kind: 'client', status: 'ok' });
  expect(shown.usage.input_tokens).toBe(of('chat m-1').attributes[GEN_AI.inputTokens]);
  expect(shown.usage.input_tokens).toBeGreaterThan(0);
  // Each agent got its parent: the platform's span of its own run.
  expect(seen).toEqual([
    { traceparent: `00-${TRACE}-${of(`invoke_agent ${names.outer}`).span_id}-01`, tracestate: `svc=${runId}` },
    {
      traceparent: `00-${TRACE}-${of(`invoke_agent ${names.inner}`).span_id}-01`,
      tracestate: `svc=${String(of(`invoke_agent ${names.inner}`).attributes[SVC.run])}`,
    },
  ]);
  // It is the same read a second time: ids follow from rows.
  expect(JSON.parse((await tool.run(['trace', runId, '--json'], { env })).out)).toEqual(shown);
  const drawn = await tool.run(['trace', runId], { env });
  expect(drawn.out).toMatch(
    /Trace 0af7[\s\S]*invoke_agent [\s\S]*├─ invoke_agent [\s\S]*│ {2}└─ chat m-1[\s\S]*└─ wait question .*·+.*answered[\s\S]*Models: /,
  );
  expect(await client('ada').agents.run({ params: { name: names.outer, run_id: runId } }).then((response) => response.json())).toMatchObject({ trace_id: TRACE }); // prettier-ignore

  for (const path of [`/v1/me/runs/${runId}/trace`, `/v1/agents/${names.outer}/api/runs/${runId}/trace`]) {
    const read = (headers: Record<string, string>) => fetch(api.url + path, { headers }).then(({ status }) => status);
    expect(await read({ authorization: `Bearer ${tokens['ada'] ?? ''}` })).toBe(200);
    expect(await read({ authorization: `Bearer ${tokens['ben'] ?? ''}` })).toBe(404);
    expect(await read({})).toBe(401);
  }
  expect((await fetch(`${api.url}/v1/agents/${names.inner}/api/runs/${runId}/trace`, { headers: { authorization: `Bearer ${tokens['ada'] ?? ''}` } })).status).toBe(404); // prettier-ignore
});

test('a call without a context, or with junk, is a trace of its own, whose id the answer names; the owner of the agent does not read it', async () => {
  const send = (traceparent?: string) =>
    fetch(`${api.url}/v1/agents/${names.inner}/api/invoke/draft`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens['ben'] ?? ''}`, 'content-type': 'application/json', ...(traceparent !== undefined && { traceparent }) },
      body: '{}',
    });
  const ids = new Set<string>();
  for (const sent of [undefined, 'junk', `00-${'0'.repeat(32)}-${OUTER}-01`, `00-${TRACE}-${OUTER}-01, 00-${TRACE}-${OUTER}-01`]) {
    const response = await send(sent);
    expect(response.status).toBe(200);
    const [traceId, runId] = [response.headers.get('x-svc-trace-id') ?? '', response.headers.get('x-svc-run-id') ?? ''];
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(traceId).not.toBe(TRACE);
    ids.add(traceId);
    const read = (who: string) => fetch(`${api.url}/v1/me/runs/${runId}/trace`, { headers: { authorization: `Bearer ${tokens[who] ?? ''}` } });
    const trace = TraceOut.parse(await (await read('ben')).json());
    expect(trace).toMatchObject({ trace_id: traceId, remote_parent_id: null });
    expectOneTree(trace.spans);
    // Ada pays for the model: what it used is hers to know.
    expect(trace.spans.find(({ name }) => name === 'chat m-1')?.attributes).not.toHaveProperty(GEN_AI.inputTokens);
    expect((await read('ada')).status).toBe(404);
  }
  expect(ids.size).toBe(4);
  // A caller that records no span of its own gives the trace's id alone.
  const unsampled = await send(`00-${TRACE}-${OUTER}-00`);
  expect(unsampled.headers.get('x-svc-trace-id')).toBe(TRACE);
  expect(await t.ctx.db('receipts').where({ run_id: unsampled.headers.get('x-svc-run-id') ?? '' }).first()).toMatchObject({ trace_id: TRACE, parent_span_id: null }); // prettier-ignore
});

test('MCP says its context in the message, A2A in a header; the agent gets the one of its run', async () => {
  const origin = `http://${names.inner}.localhost:${api.port}`;
  const headers = { authorization: `Bearer ${tokens['ada'] ?? ''}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const other = 'c'.repeat(32);
  seen.length = 0;
  const tools = await fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: { ...headers, traceparent: `00-${other}-${OUTER}-01`, tracestate: 'someone=else', 'mcp-protocol-version': '2025-11-25' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'draft', arguments: {}, _meta: { traceparent: `00-${TRACE}-${'d'.repeat(16)}-01`, tracestate: 'meta=1' } },
    }),
  });
  expect(tools.status, await tools.text()).toBe(200);
  expect(tools.headers.get('x-svc-trace-id')).toBe(TRACE);
  const task = await fetch(`${origin}/a2a`, {
    method: 'POST',
    headers: { ...headers, traceparent: `00-${other}-${OUTER}-01`, tracestate: 'svc=run_of-another, vendor=said', 'a2a-version': '1.0' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 2,
      method: 'SendMessage',
      params: { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ data: { skill: 'draft', args: {} } }] } },
    }),
  });
  expect(task.headers.get('x-svc-trace-id'), await task.text()).toBe(other);
  await vi.waitFor(() => expect(seen).toHaveLength(2), { timeout: 10_000 });
  expect(seen.map(({ traceparent }) => String(traceparent).slice(3, 35))).toEqual([TRACE, other]);
  // Each with its own: what stands beside another trace is not of this one.
  expect(seen.map(({ tracestate }) => String(tracestate).replace(/^svc=run_[0-9a-f-]{36}/, 'svc=…'))).toEqual(['svc=…,meta=1', 'svc=…,vendor=said']);
  const receipts = () => t.ctx.db('receipts').whereIn('trace_id', [TRACE, other]).where({ skill: 'draft' }).orderBy('created_at', 'desc').select('parent_span_id'); // prettier-ignore
  await vi.waitFor(async () => expect((await receipts()).map(({ parent_span_id }) => parent_span_id)).toEqual(expect.arrayContaining(['d'.repeat(16), OUTER])), { timeout: 10_000 }); // prettier-ignore
});
