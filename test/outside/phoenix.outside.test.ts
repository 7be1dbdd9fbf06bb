// A public tracing program (Arize Phoenix) reads our export as the tree that `svc trace` shows, and the
// official definitions of OTLP read every field.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { ensureRun } from '#core/kernel/ensure-run.ts';
import type { Ctx, RunActor } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { inTx } from '#core/kernel/tx.ts';
import { appendReceipt } from '#core/evidence/receipt/sign.ts';
import { exportTraces, EXPORT_DELAY_MS } from '#core/runs/trace/export.ts';
import { readTrace } from '#core/runs/trace/read.ts';
import { otlpExporter } from '#drivers/traces/exporter.ts';
import { writeExport } from '#drivers/traces/otlp/write.ts';
import { spanOf } from '#drivers/traces/conformance.ts';
import { freePort } from '#stack/ports.ts';
import { testContext, type TestContext, type TestUser } from '../support/context.ts';
import { PYTHON, pythonWith, WITHOUT_PYTHON } from '../support/languages/python.ts';
import { liveAgent, runOf, type TestRun } from '../support/runs.ts';
import { facts } from '../support/verbs.ts';

const PHOENIX = 'arize-phoenix==20.26.1';
const PROTO = 'opentelemetry-proto==1.45.2';
const DECODE = `
import sys, json
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
print(json.dumps(MessageToDict(ExportTraceServiceRequest.FromString(sys.stdin.buffer.read()), preserving_proto_field_name=True)))
`;
const Spans = z.object({
  data: z.array(
    z.object({ name: z.string(), span_kind: z.string(), parent_id: z.string().nullish(), context: z.object({ trace_id: z.string(), span_id: z.string() }) }),
  ),
});

describe.skipIf(!PYTHON)(`other programs read our export (${PYTHON ?? WITHOUT_PYTHON})`, () => {
  let t: TestContext;
  let ada: TestUser;
  let phoenix: ChildProcess;
  let folder: string;
  let url: string;
  beforeAll(async () => {
    t = await testContext();
    ada = await t.user('ada');
    const python = await pythonWith(`phoenix-${PHOENIX.split('==')[1] ?? ''}`, [PHOENIX]);
    folder = await mkdtemp(join(tmpdir(), 'svc-phoenix-'));
    const [port, grpc] = [await freePort(), await freePort()];
    url = `http://127.0.0.1:${port}`;
    const env = {
      PHOENIX_PORT: String(port),
      PHOENIX_GRPC_PORT: String(grpc),
      PHOENIX_WORKING_DIR: folder,
      PHOENIX_HOST: '127.0.0.1',
      PHOENIX_TELEMETRY_ENABLED: 'false',
    };
    phoenix = spawn(python, ['-m', 'phoenix.server.main', 'serve'], { env: { ...process.env, ...env }, stdio: 'ignore' });
    await vi.waitFor(async () => expect((await fetch(`${url}/healthz`)).ok).toBe(true), { timeout: 180_000, interval: 500 });
  });
  afterAll(async () => {
    phoenix?.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
    await t.close();
  });

  async function ended(agentOwner: string, more: Partial<RunActor>): Promise<TestRun> {
    const agent = await liveAgent(t.ctx, agentOwner);
    const run = runOf(t.ctx, agent, ada.actor.user_id, more);
    await inTx(run, async (ctx) => {
      await ensureRun(ctx);
      await appendReceipt(ctx, facts(agent, { runId: run.actor.run_id, deployId: agent.deployId }));
      await ctx.db('runs').where({ run_id: run.actor.run_id }).update({ state: 'succeeded', ended_at: new Date().toISOString() });
    });
    return run;
  }

  test('Phoenix shows the same tree', async () => {
    let shift = 0;
    const platform = (): Ctx => ({
      ...t.ctx,
      clock: () => Date.now() + shift,
      drivers: { ...t.ctx.drivers, traceExporter: otlpExporter({ endpoint: `${url}/v1/traces`, headers: {} }) },
    });
    await exportTraces(platform());
    const outer = await ended(ada.actor.user_id, {});
    const inner = await ended(ada.actor.user_id, { parent_run_id: outer.actor.run_id, root_run_id: outer.actor.run_id });
    const at = new Date();
    const used = { user_id: ada.actor.user_id, credential_id: 'c', credential: 'main', provider: 'openai', model: 'm-1', purpose: 'chat', day: '2026-11-25' };
    await t.ctx.db('llm_usage').insert({ ...used, usage_id: newId('llu'), run_id: inner.actor.run_id, state: 'ok', started_at: at, ended_at: at, input_tokens: 5, output_tokens: 7 }); // prettier-ignore
    await t.ctx.db('waits').insert({ wait_id: newId('wait'), kind: 'question', state: 'answered', run_id: outer.actor.run_id, asked_of: ada.actor.user_id, prompt: 'Which?', request: '{}', expires_at: at, created_at: at, resolved_at: at }); // prettier-ignore
    t.ctx.drivers.traces.add([spanOf({ run_id: inner.actor.run_id, name: 'execute_tool paint', attributes: { 'gen_ai.operation.name': 'execute_tool' } })]);
    await t.ctx.drivers.traces.flush();
    shift = EXPORT_DELAY_MS + 1_000;
    await exportTraces(platform());
    const ours = (await readTrace(ada, { run_id: outer.actor.run_id })).spans;
    const theirs = await vi.waitFor(
      async () => {
        const { data } = Spans.parse(await (await fetch(`${url}/v1/projects/default/spans?limit=100`)).json());
        expect(data).toHaveLength(ours.length);
        return data;
      },
      { timeout: 60_000, interval: 500 },
    );
    const tree = (spans: { name: string; id: string; parent: string | null }[]) => new Map(spans.map(({ name, id, parent }) => [id, { name, parent }]));
    expect(tree(theirs.map(({ name, context, parent_id }) => ({ name, id: context.span_id, parent: parent_id ?? null })))).toEqual(
      tree(ours.map(({ name, span_id, parent_id }) => ({ name, id: span_id, parent: parent_id }))),
    );
    expect(new Set(theirs.map(({ context }) => context.trace_id)).size).toBe(1);
    // It knows what they are by the attributes of the conventions.
    const kind = (name: RegExp) => theirs.find((span) => name.test(span.name))?.span_kind;
    expect([kind(/^invoke_agent/), kind(/^execute_tool/), kind(/^chat/)]).toEqual(['AGENT', 'TOOL', 'LLM']);
  });

  test('the official definitions read every field that we write', async () => {
    const python = await pythonWith(`otlp-${PROTO.split('==')[1] ?? ''}`, [PROTO]);
    const span = { ...spanOf({ parent_id: 'c'.repeat(16), status: 'error', message: 'dry', kind: 'client' }), remoteParent: true };
    const decoding = promisify(execFile)(python, ['-c', DECODE]);
    decoding.child.stdin?.end(writeExport([{ attributes: { 'service.name': 'painter' }, scope: 'svc', spans: [span] }]));
    const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');
    expect(JSON.parse((await decoding).stdout)).toEqual({
      resource_spans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { string_value: 'painter' } }] },
          scope_spans: [
            {
              scope: { name: 'svc' },
              spans: [
                {
                  trace_id: base64(span.trace_id),
                  span_id: base64(span.span_id),
                  parent_span_id: base64('c'.repeat(16)),
                  name: 'mix',
                  kind: 'SPAN_KIND_CLIENT',
                  start_time_unix_nano: span.start_ns,
                  end_time_unix_nano: span.end_ns,
                  attributes: [
                    { key: 'colours', value: { array_value: { values: [{ string_value: 'red' }, { int_value: '7' }, { bool_value: true }] } } },
                    { key: 'deep', value: { kvlist_value: { values: [{ key: 'a', value: {} }] } } },
                  ],
                  events: [{ time_unix_nano: '1764084601123456790', name: 'stirred', attributes: [{ key: 'times', value: { int_value: '3' } }] }],
                  status: { message: 'dry', code: 'STATUS_CODE_ERROR' },
                  flags: 0x301,
                },
              ],
            },
          ],
        },
      ],
    });
  });
});
