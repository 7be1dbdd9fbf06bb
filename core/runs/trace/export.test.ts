// What an operator's collector gets, in a real request: read by the same definitions as agents' exports are;
// the official ones are in export.parts.test.ts.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { otlpExporter } from '#drivers/traces/exporter.ts';
import { readExport, type ReadSpan } from '#drivers/traces/otlp/read.ts';
import { spanOf } from '#drivers/traces/conformance.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent, runOf, type TestRun } from '#test/support/runs.ts';
import { facts } from '#test/support/verbs.ts';
import { appendReceipt } from '../../evidence/receipt/sign.ts';
import { ensureRun } from '../../kernel/ensure-run.ts';
import type { Ctx, RunActor } from '../../kernel/ctx.ts';
import { spanIdOf, traceColumns, traceIdOf } from '../../kernel/trace.ts';
import { inTx } from '../../kernel/tx.ts';
import { endRunWithoutReceipt } from '../run/end.ts';
import { exportTraces, EXPORT_DELAY_MS } from './export.ts';
import { readTrace } from './read.ts';

let t: TestContext;
let ada: TestUser;
let agent: LiveAgent;
let server: Server;
let got: { headers: IncomingMessage['headers']; spans: ReadSpan[] }[] = [];
let answer = 200;
let shift = 0;

beforeAll(async () => {
  t = await testContext();
  ada = await t.user('ada');
  agent = await liveAgent(t.ctx, ada.actor.user_id);
  server = createServer((request, response) => {
    void buffer(request).then((body) => {
      if (answer === 200) got.push({ headers: request.headers, spans: readExport(body).spans });
      response.writeHead(answer).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await exportTraces(platform());
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await t.close();
});

/** Seen from later on, when everything has settled. */
function platform(): Ctx {
  const { port } = server.address() as AddressInfo; // it listens on a port
  const traceExporter = otlpExporter({ endpoint: `http://127.0.0.1:${port}/v1/traces`, headers: { 'x-tenant': 'ops' } });
  return { ...t.ctx, clock: () => Date.now() + shift, drivers: { ...t.ctx.drivers, traceExporter } };
}

async function ended(more: Partial<RunActor> = {}, { row = true } = {}): Promise<TestRun> {
  const run = runOf(t.ctx, agent, ada.actor.user_id, more);
  await inTx(run, async (ctx) => {
    if (row) await ensureRun(ctx);
    const { actor } = run;
    const receipt = {
      runId: actor.run_id,
      trace: traceColumns(actor),
      deployId: agent.deployId,
      caller: { kind: 'user', id: null, userId: ada.actor.user_id },
    };
    await appendReceipt(ctx, facts(agent, receipt));
    if (row) await ctx.db('runs').where({ run_id: actor.run_id }).update({ state: 'succeeded', ended_at: new Date().toISOString() });
  });
  return run;
}
async function exportedSince(): Promise<ReadSpan[]> {
  got = [];
  shift += EXPORT_DELAY_MS + 1_000;
  await exportTraces(platform());
  return got.flatMap(({ spans }) => spans);
}

test('runs that ended are exported once, with the ids by which they are read, and the headers of the operator', async () => {
  const outer = await ended({ trace: { trace_id: 'a'.repeat(32), parent_span_id: 'b'.repeat(16) } });
  const inner = await ended({ parent_run_id: outer.actor.run_id, root_run_id: outer.actor.run_id, trace: { trace_id: 'a'.repeat(32), parent_span_id: null } });
  const computed = await ended({}, { row: false });
  t.ctx.drivers.traces.add([spanOf({ run_id: outer.actor.run_id, parent_id: spanIdOf(outer.actor.run_id), attributes: { list: ['x', 1, 0.5, true] } })]);
  await t.ctx.drivers.traces.flush();
  await exportTraces(platform());
  expect(got, 'nothing has settled yet').toEqual([]);
  const spans = await exportedSince();
  expect(got[0]?.headers).toMatchObject({ 'content-type': 'application/x-protobuf', 'x-tenant': 'ops' });
  const of = (run: TestRun) => spans.find(({ span_id }) => span_id === spanIdOf(run.actor.run_id));
  expect(of(outer)).toMatchObject({ trace_id: 'a'.repeat(32), parent_id: 'b'.repeat(16), kind: 'server', status: 'ok' });
  expect(of(inner)).toMatchObject({ trace_id: 'a'.repeat(32), parent_id: spanIdOf(outer.actor.run_id) });
  expect(of(computed)).toMatchObject({ trace_id: traceIdOf(computed.actor), parent_id: null });
  expect(spans.find(({ name }) => name === 'mix')).toMatchObject({
    parent_id: spanIdOf(outer.actor.run_id),
    attributes: { list: ['x', 1, 0.5, true] },
    events: [{ name: 'stirred', at_ns: '1764084601123456790', attributes: { times: 3 } }],
  });
  const read = await readTrace(ada, { run_id: outer.actor.run_id });
  for (const span of read.spans) {
    const same = spans.find(({ span_id }) => span_id === span.span_id);
    expect(same, span.name).toMatchObject({ name: span.name, start_ns: BigInt(span.start_ns), end_ns: BigInt(span.end_ns ?? 0) });
    expect(same?.parent_id).toBe(span.parent_id ?? 'b'.repeat(16));
  }
  expect(await exportedSince()).toEqual([]);
});

test('a run that ended without a receipt is exported once, too', async () => {
  const lost = runOf(t.ctx, agent, ada.actor.user_id);
  await inTx(lost, async (ctx) => {
    await ensureRun(ctx);
    await endRunWithoutReceipt(ctx, lost.actor.run_id, 'failed');
  });
  const receipted = await ended();
  const spans = await exportedSince();
  expect(spans.map(({ span_id }) => span_id).toSorted()).toEqual([lost, receipted].map(({ actor }) => spanIdOf(actor.run_id)).toSorted());
  expect(spans.find(({ span_id }) => span_id === spanIdOf(lost.actor.run_id))).toMatchObject({ status: 'error' });
  expect(await exportedSince()).toEqual([]);
  // Of an installation of before they were noted.
  await t.ctx.db('trace_exports').update({ ended_at: null, run_id: null });
  expect(await exportedSince()).toEqual([]);
});

test('while the collector is away nothing is lost: the next round after a pause goes on from there', async () => {
  const run = await ended();
  answer = 503;
  await expect(exportedSince()).rejects.toThrow('answered 503');
  answer = 200;
  await exportTraces(platform());
  expect(got, 'it pauses').toEqual([]);
  expect((await exportedSince()).map(({ span_id }) => span_id)).toEqual([spanIdOf(run.actor.run_id)]);
  expect(await t.ctx.db('trace_exports').first()).toMatchObject({ failed: 0, error: null, held_until: null });
});

test('what the collector refuses for good is said, and does not hold up what comes after', async () => {
  await ended();
  answer = 400;
  await expect(exportedSince()).rejects.toThrow('answered 400');
  answer = 200;
  const run = await ended();
  expect((await exportedSince()).map(({ span_id }) => span_id)).toEqual([spanIdOf(run.actor.run_id)]);
});

test('several workers export each run once; more than a batch goes in one round', async () => {
  const runs = await Promise.all(Array.from({ length: 130 }, () => ended({}, { row: false })));
  got = [];
  shift += EXPORT_DELAY_MS + 1_000;
  await Promise.all([exportTraces(platform()), exportTraces(platform()), exportTraces(platform())]);
  const ids = got.flatMap(({ spans }) => spans.map(({ span_id }) => span_id));
  expect(ids.sort()).toEqual(runs.map(({ actor }) => spanIdOf(actor.run_id)).sort());
});
