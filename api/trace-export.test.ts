// Spans that agents export, over the guest socket as their machines do it: OpenTelemetry's own SDK and
// exporter, then a hostile agent.
import { connect, createServer as createTcp, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostOwner } from '#contract/wire/host-owner.ts';
import { tracestateOf } from '#contract/wire/trace-context.ts';
import { MAX_EXPORT_BYTES, MAX_SPANS_OF_RUN } from '#contract/wire/trace-export.ts';
import { ensureRun } from '#core/kernel/ensure-run.ts';
import { spanIdOf, traceIdOf, traceparentOf } from '#core/kernel/trace.ts';
import { inTx } from '#core/kernel/tx.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { readTrace } from '#core/runs/trace/read.ts';
import { writeExport, type ExportedSpan } from '#drivers/traces/otlp/write.ts';
import { spanOf } from '#drivers/traces/conformance.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent, runOf, type TestRun } from '#test/support/runs.ts';
import { createGuestListener } from './guests.ts';
import { traceExport } from './trace-export.ts';

let t: TestContext;
let ada: TestUser;
let mine: LiveAgent;
let foreign: LiveAgent;
let url: string;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  t = await testContext();
  ada = await t.user('ada');
  mine = await liveAgent(t.ctx, ada.actor.user_id);
  foreign = await liveAgent(t.ctx, (await t.user('ben')).actor.user_id);
  const front = traceExport(t.ctx, { log: pino({ level: 'silent' }) });
  const handle: Parameters<typeof createGuestListener>[0]['handle'] = (request, response) => void (front(request, response) || response.writeHead(404).end());
  const none = (): undefined => undefined;
  const guests = createGuestListener({ ownerOf: hostOwner({ ...t.ctx.config, baseUrl: 'http://127.0.0.1' }), handle, onRefused: none, onError: none });
  const socket = join(t.stateDir, 'guests.sock');
  await guests.listen(socket);
  // The exporter speaks TCP; in a machine the egress proxy is between.
  const open = new Set<Socket>();
  const proxy = createTcp((near) => {
    const far = connect(socket);
    for (const one of [near, far]) open.add(one.on('error', none));
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/otlp/v1/traces`; // it listens on a port
  ends.push(
    () => guests.close(),
    () => {
      for (const one of open) one.destroy();
      return new Promise((resolve) => proxy.close(resolve));
    },
  );
});
afterAll(async () => {
  for (const end of ends.reverse()) await end();
  await t.close();
});

async function begun(agent = mine, more: Parameters<typeof runOf>[3] = {}): Promise<TestRun> {
  const run = runOf(t.ctx, agent, ada.actor.user_id, more);
  await inTx(run, (ctx) => ensureRun(ctx));
  return run;
}
const GUEST = (agent: LiveAgent): Record<string, string> => ({ 'x-svc-guest': agent.instanceId });
const ID = (n: number): string => String(n).padStart(16, '0');
/** With the tracestate of the run, as every SDK hands it on. */
function exported(run: TestRun, spans: Partial<ExportedSpan & { trace_state: string }>[]): Uint8Array {
  const full = spans.map((span) => ({ ...spanOf({ trace_id: traceIdOf(run.actor), parent_id: spanIdOf(run.actor.run_id) }), trace_state: tracestateOf(run.actor.run_id), ...span })); // prettier-ignore
  return writeExport([{ attributes: { 'service.name': 'x' }, scope: 'test', spans: full }]);
}
async function send(body: Uint8Array, headers: Record<string, string>): Promise<Response> {
  return fetch(url, { method: 'POST', body: Buffer.from(body), headers: { 'content-type': 'application/x-protobuf', ...headers } });
}
const rejectedIn = async (response: Response): Promise<boolean> => (await response.arrayBuffer()).byteLength > 0;
async function said(run: TestRun) {
  await t.ctx.drivers.traces.flush();
  const read = await readTrace(ada, { run_id: run.actor.run_id });
  return { ...read, spans: read.spans.filter(({ source }) => source === 'agent') };
}

test("OpenTelemetry's SDK, with only the environment and ctx.trace, attaches its spans to the run; two concurrent runs are kept apart", async () => {
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const exporter = new OTLPTraceExporter({ url, headers: GUEST(mine) });
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const tracer = provider.getTracer('test');
  // Both in one trace: of one caller.
  const outer = { trace_id: 'f'.repeat(32), parent_span_id: null };
  const [one, other] = [await begun(mine, { trace: outer }), await begun(mine, { trace: outer })];
  for (const run of [one, other]) {
    const carrier = { traceparent: traceparentOf(run.actor), tracestate: tracestateOf(run.actor.run_id) };
    const above = propagation.extract(context.active(), carrier);
    const tool = tracer.startSpan(
      'execute_tool paint',
      { kind: SpanKind.CLIENT, attributes: { 'gen_ai.tool.name': 'paint', size: 3, ratio: 0.5, list: ['a'] } },
      above,
    );
    const inner = tracer.startSpan('brush', {}, trace.setSpan(above, tool));
    inner.addEvent('dipped', { times: 2 });
    inner.setStatus({ code: SpanStatusCode.ERROR, message: 'the bristles of Mrs Miller' });
    inner.end();
    tool.end();
  }
  await provider.forceFlush();
  await provider.shutdown();
  for (const run of [one, other]) {
    const { spans, trace_id, refused_spans } = await said(run);
    expect(trace_id).toBe(outer.trace_id);
    expect(refused_spans).toBe(0);
    const [tool, inner] = [spans.find(({ name }) => name.startsWith('execute_tool')), spans.find(({ name }) => name === 'brush')];
    expect(tool).toMatchObject({
      parent_id: spanIdOf(run.actor.run_id),
      kind: 'client',
      attributes: { 'gen_ai.tool.name': 'paint', size: 3, ratio: 0.5, list: ['a'] },
    });
    expect(inner).toMatchObject({ parent_id: tool?.span_id, status: 'error', message: null, events: [{ name: 'dipped', attributes: { times: 2 } }] });
    expect(spans).toHaveLength(2);
  }
});

test('a run’s own credential does the same without a tracestate, also a moment after the run has ended, and packed', async () => {
  const run = await begun();
  const token = await mintRunCredential(t.ctx.drivers.vault, run.actor, Date.now() + 60_000);
  await t.ctx.db('runs').where({ run_id: run.actor.run_id }).update({ state: 'succeeded', ended_at: new Date().toISOString() });
  const body = gzipSync(exported(run, [{ span_id: ID(1), name: 'late' }]));
  const response = await send(body, { ...GUEST(mine), 'x-svc-run-token': token, 'content-encoding': 'gzip' });
  expect(response.status).toBe(200);
  expect(await rejectedIn(response)).toBe(false);
  expect((await said(run)).spans).toMatchObject([{ name: 'late' }]);
  await t.ctx
    .db('runs')
    .where({ run_id: run.actor.run_id })
    .update({ ended_at: new Date(Date.now() - 3_600_000).toISOString() });
  expect(await rejectedIn(await send(exported(run, [{ span_id: ID(2) }]), { ...GUEST(mine), 'x-svc-run-token': token }))).toBe(true);
  expect((await said(run)).spans).toHaveLength(1);
});

test('an agent writes into runs of its own alone: not by tracestate, not by another agent’s credential, not without a machine', async () => {
  const [run, theirs] = [await begun(), await begun(foreign)];
  expect(await rejectedIn(await send(exported(theirs, [{ span_id: ID(1), name: 'forged' }]), GUEST(mine)))).toBe(true);
  const token = await mintRunCredential(t.ctx.drivers.vault, theirs.actor, Date.now() + 60_000);
  expect((await send(exported(theirs, [{ span_id: ID(1) }]), { ...GUEST(mine), 'x-svc-run-token': token })).status).toBe(403);
  for (const bad of ['svc_run_x.y', `${token.slice(0, -2)}AA`])
    expect((await send(exported(run, [{}]), { ...GUEST(mine), 'x-svc-run-token': bad })).status).toBe(401);
  expect((await send(exported(run, [{}]), { 'x-svc-guest': 'ins_nobody' })).status).toBe(403);
  const looks = await mintRunCredential(t.ctx.drivers.vault, { ...run.actor, looks: true }, Date.now() + 60_000);
  expect((await send(exported(run, [{}]), { ...GUEST(mine), 'x-svc-run-token': looks })).status).toBe(401);
  expect((await said(theirs)).spans).toEqual([]);
  expect((await said(run)).spans).toEqual([]);
});

test('trace, tenant, agent and svc.* are the platform’s word; times stay within the run; other traces are hung below it', async () => {
  const run = await begun();
  const ids = { 'svc.owner_id': 'usr_other', 'SVC.run_id': 'run_other', 'svc.cost_micros': 1, 'gen_ai.agent.name': 'said' };
  const spans = [
    { span_id: ID(1), trace_id: 'e'.repeat(32), parent_id: ID(9), attributes: ids, start_ns: '1', end_ns: '18446744073709551615', agent_name: 'other' },
    { span_id: ID(2), trace_id: 'e'.repeat(32), parent_id: ID(1) },
    { span_id: spanIdOf(run.actor.run_id), name: 'I am the run' },
    { span_id: '0'.repeat(16), name: 'no id' },
  ];
  expect(await rejectedIn(await send(exported(run, spans), GUEST(mine)))).toBe(true);
  const { spans: kept, usage } = await said(run);
  expect(kept.map(({ span_id, parent_id, agent }) => [span_id, parent_id, agent])).toEqual([
    [ID(1), spanIdOf(run.actor.run_id), mine.name],
    [ID(2), ID(1), mine.name],
  ]);
  expect(kept[0]?.attributes).toEqual({ 'gen_ai.agent.name': 'said' });
  expect(BigInt(kept[0]?.start_ns ?? 0)).toBe(BigInt(run.actor.started_at) * 1_000_000n);
  expect(BigInt(kept[0]?.end_ns ?? 0)).toBeLessThanOrEqual(BigInt(Date.now()) * 1_000_000n);
  expect(usage.cost_micros).toBe(0);
  const [row] = await t.ctx.db('spans').where({ run_id: run.actor.run_id }).select('owner_id', 'trace_id', 'agent_name');
  expect(row).toEqual({ owner_id: ada.actor.user_id, trace_id: traceIdOf(run.actor), agent_name: mine.name });
});

test('what people and models said is kept where the owner opted in alone; secrets are not kept at all', async () => {
  const attributes = {
    'gen_ai.input.messages': 'my diary',
    'gen_ai.prompt.0.content': 'my diary',
    'input.value': 'my diary',
    'llm.input_messages.0.message.content': 'my diary',
    'exception.message': 'my diary',
    'gen_ai.usage.input_tokens': 12,
    'http.request.header.authorization': 'Basic abc',
    'db.password': 'hunter2',
    settings: { api_key: 'k', plain: 'p' },
    note: 'the key is svc_run_abcdefghijklmnopqrstuvwxyz.0123 and sk-abcdefghijklmnopqrstuvw',
    __proto__: null,
    nul: 'a\0b',
  };
  const read = async (): Promise<Record<string, unknown>> => {
    const run = await begun();
    await send(exported(run, [{ span_id: ID(1), name: 'x Bearer abcdefghijklmnopqrstuvwxyz', attributes }]), GUEST(mine));
    const [span] = (await said(run)).spans;
    expect(span?.name).toBe('x [redacted]');
    return span?.attributes ?? {};
  };
  const clean = {
    'gen_ai.usage.input_tokens': 12,
    'http.request.header.authorization': '[redacted]',
    'db.password': '[redacted]',
    settings: { api_key: '[redacted]', plain: 'p' },
    note: 'the key is [redacted] and [redacted]',
    nul: 'a\uFFFDb',
  };
  expect(await read()).toEqual(clean);
  await t.ctx
    .db('deployments')
    .where({ deploy_id: mine.deployId })
    .update({ manifest: JSON.stringify({ traces: { content: true } }) });
  expect(await read()).toMatchObject({ ...clean, 'gen_ai.input.messages': 'my diary', 'input.value': 'my diary' });
});

test('huge exports, huge spans, bombs and junk are refused or cut', async () => {
  const run = await begun();
  const huge = exported(run, [{ span_id: ID(1), name: 'n'.repeat(100_000), attributes: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`a${n}`, 'v'.repeat(1_500)])) }]); // prettier-ignore
  expect((await send(huge, GUEST(mine))).status).toBe(200);
  const [cut] = (await said(run)).spans;
  expect(cut?.name).toHaveLength(256);
  expect(Object.keys(cut?.attributes ?? {})).toHaveLength(128);
  const deep = exported(run, [{ span_id: ID(2), attributes: { deep: JSON.parse('['.repeat(300) + ']'.repeat(300)) } }]);
  expect((await send(deep, GUEST(mine))).status).toBe(200);
  expect((await send(Buffer.alloc(MAX_EXPORT_BYTES + 1), GUEST(mine))).status).toBe(413);
  expect((await send(gzipSync(Buffer.alloc(64 * 1024 * 1024)), { ...GUEST(mine), 'content-encoding': 'gzip' })).status).toBe(413);
  expect((await send(Buffer.from('junk'), { ...GUEST(mine), 'content-encoding': 'gzip' })).status).toBe(400);
  for (const junk of [Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x7f]), Buffer.from('{"resourceSpans":[]}'), Buffer.from([0x0b, 0x0b, 0x0b])])
    expect((await send(junk, GUEST(mine))).status, junk.toString('hex')).toBe(400);
  expect((await send(Buffer.from('{}'), { ...GUEST(mine), 'content-type': 'application/json' })).status).toBe(400);
});

test('a run has so many spans, however many are sent at the same time; the trace says how many were refused', async () => {
  const run = await begun();
  await t.ctx.db('span_counts').insert({ run_id: run.actor.run_id, spans: MAX_SPANS_OF_RUN - 150, bytes: 1, began_at: new Date().toISOString() });
  const bodies = Array.from({ length: 3 }, (_, n) =>
    exported(
      run,
      Array.from({ length: 100 }, (_one, m) => ({ span_id: ID(1 + n * 100 + m) })),
    ),
  );
  const answers = await Promise.all(bodies.map((body) => send(body, GUEST(mine)).then(rejectedIn)));
  expect(answers.filter((rejected) => !rejected)).toHaveLength(1);
  const read = await said(run);
  expect(read.spans).toHaveLength(100);
  expect(read.refused_spans).toBe(200);
  const many = exported(
    await begun(),
    Array.from({ length: 2_500 }, (_, n) => ({ span_id: ID(n + 1), attributes: {}, events: [] })),
  );
  expect(await rejectedIn(await send(many, GUEST(mine)))).toBe(true);
});

test('other paths of the platform stay closed to machines', async () => {
  for (const path of ['/otlp/v1/metrics', '/otlp/v1/traces/x', '/otlp'])
    expect((await fetch(new URL(path, url), { method: 'POST', headers: GUEST(mine) })).status, path).toBe(403);
});
