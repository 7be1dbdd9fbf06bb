// `node bench/trace-read.ts`: reading the trace of a run with 10,000 spans, as the API does: the verb and the
// answer as JSON. Target: below 300 ms.
import { spanIdOf } from '#core/kernel/trace.ts';
import { ensureRun } from '#core/kernel/ensure-run.ts';
import { inTx } from '#core/kernel/tx.ts';
import { readTrace } from '#core/runs/trace/read.ts';
import type { StoredSpan } from '#drivers/traces/port.ts';
import { testContext } from '#test/support/context.ts';
import { liveAgent, runOf } from '#test/support/runs.ts';
import { benchCluster } from './database.ts';
import { median, printAdded, rounds } from './ratio.ts';

const SPANS = 10_000;
const TARGET_MS = 300;

const cluster = await benchCluster();
const t = await testContext({ databaseUrl: await cluster.create() });
try {
  const ada = await t.user('ada');
  const run = runOf(t.ctx, await liveAgent(t.ctx, ada.actor.user_id), ada.actor.user_id);
  await inTx(run, (ctx) => ensureRun(ctx));
  const { traces } = t.ctx.drivers;
  for (let n = 0; n < SPANS; n += 1) traces.add([spanAt(n)]);
  await traces.flush();
  await t.ctx.db.raw('analyze spans');
  const took: number[] = [];
  for (let round = 0; round < rounds(15); round += 1) {
    const began = performance.now();
    const trace = await readTrace(ada, { run_id: run.actor.run_id });
    const { length } = JSON.stringify(trace);
    took.push(performance.now() - began);
    if (trace.spans.length !== SPANS + 1 || length === 0) throw new Error(`${trace.spans.length} spans were read`);
  }
  printAdded({ name: `a trace of ${SPANS} spans`, ms: median(took), spread: [Math.min(...took), Math.max(...took)], target: TARGET_MS });

  /** Four levels, as an agent's tools and their requests are. */
  function spanAt(n: number): StoredSpan {
    const id = (at: number): string => (at + 1).toString(16).padStart(16, '0');
    const start = BigInt(run.actor.started_at) * 1_000_000n + BigInt(n) * 1_000n;
    return {
      run_id: run.actor.run_id,
      trace_id: 'a'.repeat(32),
      span_id: id(n),
      parent_id: n < 10 ? spanIdOf(run.actor.run_id) : id(Math.floor(n / 10)),
      owner_id: ada.actor.user_id,
      agent_name: run.actor.agent_name,
      source: 'agent',
      name: `execute_tool tool-${n % 50}`,
      kind: 'internal',
      start_ns: String(start),
      end_ns: String(start + 900n),
      status: 'ok',
      message: null,
      attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': `tool-${n % 50}`, 'http.response.status_code': 200, n },
      events: [],
    };
  }
} finally {
  await t.close();
  await cluster.stop();
}
