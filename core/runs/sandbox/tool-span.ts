// A span of work that the platform did for a run and that has no row. The run does not wait for its write.
import { randomBytes } from 'node:crypto';
import { ERROR_TYPE, GEN_AI, OPERATION } from '#contract/wire/trace-conventions.ts';
import { requireRun } from '../../kernel/ensure-run.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { DomainError } from '../../kernel/errors.ts';
import { askingSpan, spanIdOf, traceIdOf } from '../../kernel/trace.ts';

/** `about`: what is known once it has been done. */
export async function asTool<T>(ctx: Ctx, tool: string, about: (done: T | undefined) => Record<string, unknown>, work: () => Promise<T>): Promise<T> {
  const start = ctx.clock();
  try {
    const done = await work();
    add(ctx, tool, start, about(done));
    return done;
  } catch (error) {
    const failed = error instanceof DomainError ? error.code : 'internal';
    add(ctx, tool, start, { ...about(undefined), [ERROR_TYPE]: failed }, failed);
    throw error;
  }
}

function add(ctx: Ctx, tool: string, start: number, attributes: Record<string, unknown>, failed?: string): void {
  const run = requireRun(ctx);
  ctx.drivers.traces.add([
    {
      run_id: run.run_id,
      trace_id: traceIdOf(run),
      span_id: randomBytes(8).toString('hex'),
      parent_id: askingSpan(ctx.trace, run) ?? spanIdOf(run.run_id),
      owner_id: run.owner_id,
      agent_name: run.agent_name,
      source: 'platform',
      name: `${OPERATION.executeTool} ${tool}`,
      kind: 'internal',
      start_ns: `${start}000000`,
      end_ns: `${Math.max(start, ctx.clock())}000000`,
      status: failed === undefined ? 'ok' : 'error',
      message: failed ?? null,
      attributes: { [GEN_AI.operation]: OPERATION.executeTool, [GEN_AI.tool]: tool, ...attributes },
      events: [],
    },
  ]);
}
