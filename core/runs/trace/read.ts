// The trace of a run, for who may read the run.
import type { TraceOut } from '#contract/runs/traces.ts';
import { GEN_AI, SVC } from '#contract/wire/trace-conventions.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { whereMay } from '../../kernel/policy.ts';
import { parentSpanOf, traceIdOf, traceOfRow } from '../../kernel/trace.ts';
import { collectSpans } from './collect.ts';
import { MAX_RUNS, type RunFacts, runOfReceipts, runsBelow } from './facts.ts';

/** @throws NotFound run_not_found for users who may not read the run, the agent's owner included */
export async function readTrace(ctx: Ctx, i: { run_id: string; name?: string }): Promise<TraceOut> {
  const { runs, truncated } = await readableRuns(ctx, i);
  const [top] = runs;
  if (!top) throw new NotFound('run_not_found', `You have no run ${i.run_id}${i.name === undefined ? '' : ` of ${i.name}`}`);
  const { actor } = ctx;
  const reader = actor.kind === 'user' ? actor.user_id : undefined;
  const [found, counts] = await Promise.all([
    collectSpans(ctx, runs, (payer) => payer === reader),
    ctx.db('span_counts').whereIn('run_id', runs.map(({ run_id }) => run_id)).sum<{ refused: string | null }[]>('refused as refused'), // prettier-ignore
  ]);
  const traced = {
    run_id: top.run_id,
    parent_run_id: top.parent_run_id,
    ...traceOfRow(top),
    ...(top.root_run_id === null ? {} : { root_run_id: top.root_run_id }),
  };
  return {
    trace_id: traceIdOf(traced),
    run_id: top.run_id,
    root_run_id: top.root_run_id ?? top.run_id,
    remote_parent_id: parentSpanOf(traced),
    spans: found.spans,
    usage: usageOf(found.spans),
    truncated: truncated || found.truncated,
    refused_spans: Number(counts[0]?.refused ?? 0),
  };
}

async function readableRuns(ctx: Ctx, i: { run_id: string; name?: string }): Promise<{ runs: RunFacts[]; truncated: boolean }> {
  const mine = await ctx
    .db('runs')
    .where({ run_id: i.run_id, ...(i.name === undefined ? {} : { agent_name: i.name }) })
    .where(whereMay(ctx.actor, 'run.read', { owner: 'user_id', calling_run: 'parent_run_id' }))
    .first('run_id');
  if (mine) {
    const runs = await runsBelow(ctx.db, i.run_id);
    return { runs: runs.slice(0, MAX_RUNS), truncated: runs.length > MAX_RUNS };
  }
  // A run with a row is read only by its row.
  const receipt = await ctx
    .db('receipts')
    .where({ run_id: i.run_id, source: 'platform' })
    .whereNotExists(ctx.db('runs').where({ run_id: i.run_id }))
    .where(whereMay(ctx.actor, 'run.read', { owner: 'caller_user_id' }))
    .first('run_id');
  const run = receipt && (await runOfReceipts(ctx.db, i.run_id));
  return { runs: run && (i.name === undefined || run.agent_name === i.name) ? [run] : [], truncated: false };
}

function usageOf(spans: TraceOut['spans']): TraceOut['usage'] {
  const usage: TraceOut['usage'] = { input_tokens: 0, output_tokens: 0, cost_micros: 0 };
  for (const { source, attributes } of spans) {
    // What an agent says of its tokens was counted at the gateway already, if it was spent there.
    if (source !== 'platform' || attributes[GEN_AI.inputTokens] === undefined) continue;
    usage.input_tokens += Number(attributes[GEN_AI.inputTokens]);
    usage.output_tokens += Number(attributes[GEN_AI.outputTokens] ?? 0);
    const cost = attributes[SVC.costMicros];
    usage.cost_micros = typeof cost === 'number' && usage.cost_micros !== null ? usage.cost_micros + cost : null;
  }
  return usage;
}
