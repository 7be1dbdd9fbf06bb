// `node bench/trace-call.ts`: what tracing adds to a call. On: its caller sends a context, and the agent
// exports ten spans of each call, in the batches of OpenTelemetry's SDK; off: neither. In turns, over the
// same PostgreSQL and agent, one call after the other. Target: at most 5 % at p50.
import { createServer } from 'node:http';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { markGuest } from '#api/http/guest.ts';
import { traceExport } from '#api/trace-export.ts';
import { invokeSkill } from '#test/support/calls.ts';
import { spanOf } from '#drivers/traces/conformance.ts';
import { type ExportedSpan, writeExport } from '#drivers/traces/otlp/write.ts';
import { socketOf } from '#test/support/agent-socket.ts';
import { testContext } from '#test/support/context.ts';
import { liveAgent } from '#test/support/runs.ts';
import { benchCluster } from './database.ts';
import { median, rounds } from './ratio.ts';

const CALLS = 200;
const SPANS = 10;
/** The default of OpenTelemetry's batch processor. */
const BATCH = 512;
const TARGET = 5;

const cluster = await benchCluster();
const t = await testContext({ databaseUrl: await cluster.create() });
const ada = await t.user('ada');
const live = await liveAgent(t.ctx, ada.actor.user_id);
const exports = createServer((request, response) => {
  // As the guest socket does: it knows the machine.
  markGuest(request, live.instanceId);
  if (!front(request, response)) response.writeHead(404).end();
});
const front = traceExport(t.ctx, { log: pino({ level: 'silent' }) });
await new Promise<void>((resolve) => exports.listen(0, '127.0.0.1', resolve));
const { port } = exports.address() as AddressInfo; // it listens on a port
const sending = new Set<Promise<unknown>>();
let traced = false;

let gathered: ExportedSpan[] = [];

/** As OpenTelemetry's batch processor does: it gathers, and sends in the background. */
function exportSpans(headers: Record<string, unknown>): void {
  const trace_id = String(headers['traceparent']).slice(3, 35);
  const trace_state = String(headers['tracestate']);
  for (let n = 1; n <= SPANS; n += 1) gathered.push({ ...spanOf({ trace_id, parent_id: null, span_id: String(n).padStart(16, '0') }), trace_state });
  if (gathered.length < BATCH) return;
  const body = Buffer.from(writeExport([{ attributes: {}, scope: 'bench', spans: gathered }]));
  gathered = [];
  const sent = fetch(`http://127.0.0.1:${port}/otlp/v1/traces`, { method: 'POST', body, headers: { 'content-type': 'application/x-protobuf' } }).then(
    async (response) => {
      if (!response.ok || (await response.arrayBuffer()).byteLength > 0) throw new Error(`an export was answered ${response.status}, or not taken`);
    },
  );
  sending.add(sent);
  void sent.finally(() => sending.delete(sent));
}
const agent = createServer((request, response) => {
  request.resume();
  response.setHeader('content-type', 'application/json').end('{"greeting":"hello"}');
  if (traced) exportSpans(request.headers);
});
const path = socketOf(t.ctx.drivers.runtime.address(live.instanceId));
await mkdir(dirname(path), { recursive: true });
await new Promise<void>((resolve) => agent.listen(path, resolve));

try {
  await p50(false, CALLS);
  await p50(true, CALLS);
  const added: number[] = [];
  for (let round = 0; round < rounds(9); round += 1) {
    // The second one finds warmer caches, so they take turns in starting.
    const order = round % 2 === 0 ? [false, true] : [true, false];
    const took = new Map<boolean, number>();
    for (const on of order) took.set(on, await p50(on, CALLS));
    const [off = Number.NaN, on = Number.NaN] = [took.get(false), took.get(true)];
    added.push((100 * (on - off)) / off);
    process.stdout.write(`off ${off.toFixed(2)} ms, on ${on.toFixed(2)} ms\n`);
  }
  const overhead = median(added);
  const spread = `${Math.min(...added).toFixed(1)} to ${Math.max(...added).toFixed(1)} %`;
  process.stdout.write(
    `tracing adds ${overhead.toFixed(1)} % to a call at p50 (${spread}), target at most ${TARGET} %: ${overhead <= TARGET ? 'met' : 'missed'}\n`,
  );
  const { refused = 0 } = (await t.ctx.db('span_counts').sum<{ refused: number }[]>('refused as refused'))[0] ?? {};
  if (t.ctx.drivers.traces.lost() + Number(refused) > 0) throw new Error('spans were lost or refused');
} finally {
  agent.closeAllConnections();
  agent.close();
  exports.closeAllConnections();
  exports.close();
  await t.close();
  await cluster.stop();
}

/** Milliseconds of a call. */
async function p50(on: boolean, calls: number): Promise<number> {
  traced = on;
  const trace = on ? { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16), sampled: true } : undefined;
  const took: number[] = [];
  for (let n = 0; n < calls; n += 1) {
    const began = performance.now();
    await invokeSkill({ ...ada, trace }, { name: live.name, skill_name: 'work', args: {}, accept: undefined, signal: new AbortController().signal });
    took.push(performance.now() - began);
  }
  await Promise.all(sending);
  return median(took);
}
