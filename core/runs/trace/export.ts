// Exports the traces of runs that have ended, to the collector of an operator. What is sent is read from
// rows, so a crash loses nothing: how far it got is remembered, and a batch that was sent twice has the same
// ids.
import type { Knex } from 'knex';
import type { SpanOut } from '#contract/runs/traces.ts';
import { SERVICE_NAME, SVC } from '#contract/wire/trace-conventions.ts';
import type { TraceExportsRow } from '#db/tables.ts';
import { ExportRefused, type TraceExporter } from '#drivers/traces/exporter.ts';
import type { ExportedResource, ExportedSpan } from '#drivers/traces/otlp/write.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { firstId } from '../../kernel/ids.ts';
import { LEASE_ACTIVE, leaseTimes } from '../../kernel/lease.ts';
import { parentSpanOf, spanIdOf, traceIdOf, traceOfRow } from '../../kernel/trace.ts';
import { collectSpans } from './collect.ts';
import { type RunFacts, runOfReceipts, runRows } from './facts.ts';

/** Receipts of a batch. */
const BATCH = 100;
/** A worker that dies while it exports is followed by another after this time. */
const HOLD_MS = 60_000;
const MAX_PAUSE_MS = 300_000;
/**
 * Until then what belongs to a run is there: its receipt is committed, its agent has exported its last spans.
 */
export const EXPORT_DELAY_MS = 15_000;

/** Rejects when the collector does not take them: the next round continues from there, after a pause. */
export async function exportTraces(ctx: Ctx): Promise<void> {
  const { traceExporter: exporter } = ctx.drivers;
  if (!exporter) return;
  const exportRow = await hold(ctx, exporter.endpoint);
  if (!exportRow) return;
  try {
    for (let at: Position | undefined = exportRow; at; at = await exportNext(ctx, exporter, at));
    for (let at: Lost | undefined = exportRow; at; at = await exportLost(ctx, exporter, at));
    await release(ctx.db, exporter.endpoint, { failed: 0, error: null, held_until: null });
  } catch (error) {
    const failed = exportRow.failed + 1;
    const pause = Math.min(MAX_PAUSE_MS, 1_000 * 2 ** Math.min(failed, 10));
    const until = new Date(ctx.clock() + pause);
    await release(ctx.db, exporter.endpoint, { failed, error: error instanceof Error ? error.message.slice(0, 500) : 'unknown', held_until: until });
    throw error;
  }
}

type Position = Pick<TraceExportsRow, 'receipt_id'>;
/** The place among runs that ended without a receipt. */
type Lost = Pick<TraceExportsRow, 'ended_at' | 'run_id'>;

/**
 * Undefined: another worker exports there, or it pauses after a failure. A new collector begins with what
 * ends from now on.
 */
async function hold({ db, clock }: Ctx, endpoint: string): Promise<TraceExportsRow | undefined> {
  const { now, until, latest } = leaseTimes(clock(), HOLD_MS);
  await db('trace_exports').insert({ endpoint, receipt_id: firstId('rcp', clock()), ended_at: now, run_id: '' }).onConflict('endpoint').ignore(); // prettier-ignore
  const [row] = await db('trace_exports')
    .where({ endpoint })
    // It pauses for longer than it holds.
    .whereRaw(`not (${LEASE_ACTIVE})`, { now, latest: new Date(latest.getTime() + MAX_PAUSE_MS) })
    // An export from before lost runs were recorded begins with those that end from now on.
    .update({ held_until: until, ended_at: db.raw('coalesce(ended_at, ?)', [now]) })
    .returning('*');
  return row;
}

async function release(db: Knex, endpoint: string, set: Partial<TraceExportsRow>): Promise<void> {
  await db('trace_exports').where({ endpoint }).update(set);
}

async function exportNext(ctx: Ctx, exporter: TraceExporter, at: Position): Promise<Position | undefined> {
  const receipts = await ctx
    .db('receipts')
    .where('receipt_id', '>', at.receipt_id)
    .where('receipt_id', '<', firstId('rcp', ctx.clock() - EXPORT_DELAY_MS))
    .orderBy('receipt_id')
    .limit(BATCH)
    .select('run_id', 'receipt_id');
  const last = receipts.at(-1);
  if (!last) return undefined;
  const next = { receipt_id: last.receipt_id };
  await sendRuns(ctx, exporter, [...new Set(receipts.flatMap(({ run_id }) => run_id ?? []))], next);
  return receipts.length < BATCH ? undefined : next;
}

async function exportLost(ctx: Ctx, exporter: TraceExporter, at: Lost): Promise<Lost | undefined> {
  if (at.ended_at === null) return undefined;
  const runs = await ctx
    .db('unreceipted_runs')
    .whereRaw('(ended_at, run_id) > (?, ?)', [at.ended_at, at.run_id ?? ''])
    .where('ended_at', '<', new Date(ctx.clock() - EXPORT_DELAY_MS))
    .orderBy(['ended_at', 'run_id'])
    .limit(BATCH);
  const last = runs.at(-1);
  if (!last) return undefined;
  const next = { ended_at: last.ended_at, run_id: last.run_id };
  await sendRuns(ctx, exporter, runs.map(({ run_id }) => run_id), next); // prettier-ignore
  return runs.length < BATCH ? undefined : next;
}

/**
 * What a collector refuses for good is left out. @throws whatever else sending throws, and ExportRefused once
 * the place is kept
 */
async function sendRuns(ctx: Ctx, exporter: TraceExporter, ids: readonly string[], next: Partial<TraceExportsRow>): Promise<void> {
  let refused: ExportRefused | undefined;
  if (ids.length > 0) {
    await exporter.send(await resourcesOf(ctx, ids)).catch((error: unknown) => {
      if (!(error instanceof ExportRefused)) throw error;
      refused = error;
    });
  }
  const leaseEnd = new Date(ctx.clock() + HOLD_MS);
  await ctx.db('trace_exports').where({ endpoint: exporter.endpoint }).update({ ...next, held_until: leaseEnd }); // prettier-ignore
  if (refused) throw refused;
}

async function resourcesOf(ctx: Ctx, runIds: readonly string[]): Promise<ExportedResource[]> {
  const rows = await runRows(ctx.db, runIds);
  const known = new Set(rows.map(({ run_id }) => run_id));
  const computed = await Promise.all(runIds.filter((id) => !known.has(id)).map((id) => runOfReceipts(ctx.db, id)));
  const runs = [...rows, ...computed.filter((run) => run !== undefined)];
  if (runs.length === 0) return [];
  const byId = new Map(runs.map((run) => [run.run_id, run]));
  const owners = await ctx.db('agents').whereIn('agent_id', [...new Set(runs.map(({ agent_id }) => agent_id))]).select('agent_id', 'owner_id'); // prettier-ignore
  const ownerOf = new Map(owners.map(({ agent_id, owner_id }) => [agent_id, owner_id]));
  const { spans } = await collectSpans(ctx, runs, () => true);
  const byAgent = Map.groupBy(spans, ({ run_id }) => byId.get(run_id)?.agent_id ?? '');
  return [...byAgent].map(([agentId, own]) => ({
    attributes: { [SERVICE_NAME]: own[0]?.agent ?? '', [SVC.owner]: ownerOf.get(agentId) ?? '' },
    scope: 'svc',
    spans: own.flatMap((span) => {
      const run = byId.get(span.run_id);
      return run ? [exported(span, run)] : [];
    }),
  }));
}

function exported({ agent, run_id, ...span }: SpanOut, run: RunFacts): ExportedSpan {
  const { run_id: id, parent_run_id, root_run_id } = run;
  const traced = { run_id: id, parent_run_id, ...traceOfRow(run), ...(root_run_id === null ? {} : { root_run_id }) };
  // A run whose caller is not in this batch hangs on its caller's run, which is exported when that has ended.
  const above = parent_run_id === null ? parentSpanOf(traced) : spanIdOf(parent_run_id);
  const isTop = span.parent_id === null;
  return {
    ...span,
    agent_name: agent,
    trace_id: traceIdOf(traced),
    parent_id: isTop ? above : span.parent_id,
    end_ns: span.end_ns ?? span.start_ns,
    remoteParent: isTop && parent_run_id === null && above !== null,
    attributes: { ...span.attributes, [SVC.run]: run_id },
  };
}
