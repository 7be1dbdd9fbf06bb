// Mallory, who owns an agent that Ada's agent calls, and exports spans with the credential of its run; and
// Ada, whose trace it is.
import { tracestateOf } from '#contract/wire/trace-context.ts';
import { TRACE_EXPORT_PATH } from '#contract/wire/trace-export.ts';
import type { TraceOut } from '#contract/runs/traces.ts';
import { ensureRun } from '#core/kernel/ensure-run.ts';
import { spanIdOf, traceIdOf } from '#core/kernel/trace.ts';
import { inTx } from '#core/kernel/tx.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { readTrace } from '#core/runs/trace/read.ts';
import { spanOf } from '#drivers/traces/conformance.ts';
import { type ExportedSpan, writeExport } from '#drivers/traces/otlp/write.ts';
import { createWorld, type World } from '../api/world.ts';
import { type LiveAgent, liveAgent, runOf, type TestRun } from '../support/runs.ts';
import { userActor } from '../support/verbs.ts';

export const ID = (n: number): string => n.toString(16).padStart(16, '0');

export interface SpanAttack {
  world: World;
  ada: string;
  mallory: string;
  /** Ada's, and Mallory's. */
  hers: LiveAgent;
  theirs: LiveAgent;
  /** A run that has begun; default: Ada's, of her agent. */
  begun(more?: { agent?: LiveAgent; user?: string; below?: TestRun; parentSpan?: string }): Promise<TestRun>;
  token(run: TestRun): Promise<string>;
  /** How many spans of it are refused; undefined where none is. */
  send(run: TestRun | string, body: Uint8Array, headers?: Record<string, string>): Promise<{ status: number; bytes: number }>;
  trace(run: TestRun, reader?: string): Promise<TraceOut>;
  stored(run: TestRun): Promise<number>;
}

export async function spanAttack(): Promise<SpanAttack> {
  const world = await createWorld();
  const { ctx } = world;
  const idOf = async (name: string) => (await ctx.db('users').where('email', 'like', `${name}-%`).first('user_id'))?.user_id ?? '';
  const [ada, mallory] = [await idOf('ada'), await idOf('ben')];
  const [hers, theirs] = [await liveAgent(ctx, ada, { visibility: 'public' }), await liveAgent(ctx, mallory, { visibility: 'public' })];
  const token = ({ actor }: TestRun) => mintRunCredential(ctx.drivers.vault, actor, Date.now() + 60_000);
  return {
    world,
    ada,
    mallory,
    hers,
    theirs,
    begun: async ({ agent = hers, user = ada, below, parentSpan } = {}) => {
      const root = below && (below.actor.root_run_id ?? below.actor.run_id);
      const trace = below && parentSpan !== undefined ? { trace: { trace_id: traceIdOf(below.actor), parent_span_id: parentSpan } } : {};
      const run = runOf(ctx, agent, user, below ? { parent_run_id: below.actor.run_id, root_run_id: root ?? '', ...trace } : {});
      await inTx(run, (ctx) => ensureRun(ctx));
      return run;
    },
    token,
    send: async (by, body, headers = {}) => {
      const credential = typeof by === 'string' ? by : await token(by);
      const all = { 'content-type': 'application/x-protobuf', 'x-svc-run-token': credential, ...headers };
      const response = await fetch(world.url + TRACE_EXPORT_PATH, { method: 'POST', headers: all, body: Buffer.from(body) });
      return { status: response.status, bytes: (await response.arrayBuffer()).byteLength };
    },
    trace: async (run, reader = ada) => {
      await ctx.drivers.traces.flush();
      return readTrace({ ...ctx, actor: userActor(reader) }, { run_id: run.actor.run_id });
    },
    stored: async (run) => {
      await ctx.drivers.traces.flush();
      return (await ctx.db('spans').where({ run_id: run.actor.run_id }).select('span_id')).length;
    },
  };
}

/** Spans of a run, as an SDK exports them. */
export function exported(run: TestRun, spans: Partial<ExportedSpan>[], attributes: Record<string, unknown> = {}): Uint8Array {
  const own = { trace_id: traceIdOf(run.actor), parent_id: spanIdOf(run.actor.run_id), trace_state: tracestateOf(run.actor.run_id) };
  const whole = spans.map((span, n) => ({ ...spanOf(own), span_id: ID(n + 1), trace_state: own.trace_state, ...span }));
  return writeExport([{ attributes: { 'service.name': 'x', ...attributes }, scope: 'test', spans: whole }]);
}
