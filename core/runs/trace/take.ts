// Takes the spans that an agent exports. Tenant, agent, run and trace are the platform's word; what the agent
// says of them is overwritten.
import { MAX_BYTES_OF_RUN, MAX_SPANS_OF_RUN } from '#contract/wire/trace-export.ts';
import { runIn } from '#contract/wire/trace-context.ts';
import { BadExport, readExport, type ReadSpan } from '#drivers/traces/otlp/read.ts';
import type { StoredSpan } from '#drivers/traces/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { spanIdOf } from '../../kernel/trace.ts';
import { isPiiSafe } from '../../policy/check.ts';
import { cleanAttributes, cleanText } from './clean.ts';
import { runsTaking, type Sender, type TakingRun } from './sender.ts';

export interface Taken {
  kept: number;
  rejected: number;
}

/** Of one request. */
const MAX_RUNS = 200;

/** @throws BadRequest trace_export_invalid */
export async function takeSpans(ctx: Ctx, sender: Sender, body: Uint8Array): Promise<Taken> {
  const { spans, leftOut } = readOrRefuse(body);
  const byRun = Map.groupBy(spans, (span) => sender.runId ?? runIn(span.trace_state) ?? '');
  byRun.delete('');
  const named = [...byRun.keys()].slice(0, MAX_RUNS);
  const [runs, kept] = await Promise.all([runsTaking(ctx, sender, named), keepsContent(ctx, sender.deployId)]);
  const rows = new Map<string, StoredSpan[]>();
  for (const [runId, run] of runs) {
    const content = kept && !(await isPiiSafe(ctx.db, [sender.agent.ownerId, run.userId]));
    rows.set(runId, storedSpans(byRun.get(runId) ?? [], run, { sender, content, now: ctx.clock() }));
  }
  const fitting = await count(ctx, rows);
  let many = 0;
  for (const runId of fitting) {
    const own = rows.get(runId) ?? [];
    ctx.drivers.traces.add(own);
    many += own.length;
  }
  return { kept: many, rejected: spans.length + leftOut - many };
}

function readOrRefuse(body: Uint8Array): ReturnType<typeof readExport> {
  try {
    return readExport(body);
  } catch (error) {
    if (error instanceof BadExport) throw new BadRequest('trace_export_invalid', `${error.message}: export with http/protobuf`);
    throw error;
  }
}

interface Of {
  sender: Sender;
  content: boolean;
  /** Milliseconds since the epoch. */
  now: number;
}

function storedSpans(spans: readonly ReadSpan[], run: TakingRun, { sender, content, now }: Of): StoredSpan[] {
  const top = spanIdOf(run.runId);
  const sent = new Set(spans.map(({ span_id }) => span_id));
  // A clock of a machine that slept may be anywhere: what is outside of the run is put at its edge.
  const [first, last] = [BigInt(run.startedAt.getTime()) * 1_000_000n, BigInt(now) * 1_000_000n];
  const within = (at: bigint): bigint => (at < first ? first : at > last ? last : at);
  return spans
    .filter(({ span_id }) => span_id !== top)
    .map((span) => {
      const start = within(span.start_ns);
      const end = within(span.end_ns);
      // Of another trace only what came along is known to be of this run.
      const known = span.parent_id !== null && (span.trace_id === run.traceId || sent.has(span.parent_id));
      return {
        run_id: run.runId,
        trace_id: run.traceId,
        span_id: span.span_id,
        parent_id: known ? span.parent_id : top,
        owner_id: sender.agent.ownerId,
        agent_name: sender.agent.name,
        source: 'agent',
        name: cleanText(span.name),
        kind: span.kind,
        start_ns: String(start),
        end_ns: String(end < start ? start : end),
        status: span.status,
        // As any error's message it may say what was worked on.
        message: span.message === null || !content ? null : cleanText(span.message),
        attributes: cleanAttributes(span.attributes, { content }),
        events: span.events.map(({ name, at_ns, attributes }) => ({
          name: cleanText(name),
          at_ns: String(within(BigInt(at_ns))),
          attributes: cleanAttributes(attributes, { content }),
        })),
      };
    });
}

/**
 * The runs that may have these too; the others have as many as they may. One statement decides, so that of
 * exports that come at the same time all are counted; in the order of ids, so that two of them do not wait
 * for each other.
 */
async function count({ db, clock }: Ctx, rows: ReadonlyMap<string, readonly StoredSpan[]>): Promise<string[]> {
  const runs = [...rows].filter(([, spans]) => spans.length > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  if (runs.length === 0) return [];
  const result = await db.raw<{ rows: { run_id: string }[] }>(
    `insert into span_counts as c (run_id, spans, bytes, began_at)
     select run_id, spans, bytes, :now from unnest(:runIds::text[], :spans::integer[], :bytes::bigint[]) as new (run_id, spans, bytes)
     on conflict (run_id) do update set spans = c.spans + excluded.spans, bytes = c.bytes + excluded.bytes
     where c.spans + excluded.spans <= :mostSpans and c.bytes + excluded.bytes <= :mostBytes
     returning run_id`,
    {
      runIds: runs.map(([runId]) => runId),
      spans: runs.map(([, spans]) => spans.length),
      bytes: runs.map(([, spans]) => JSON.stringify(spans).length),
      now: new Date(clock()),
      mostSpans: MAX_SPANS_OF_RUN,
      mostBytes: MAX_BYTES_OF_RUN,
    },
  );
  const fitting = new Set(result.rows.map(({ run_id }) => run_id));
  for (const [runId, spans] of runs) {
    // Counting stops at a billion.
    if (!fitting.has(runId)) await db('span_counts').where({ run_id: runId }).where('refused', '<', 1_000_000_000).update({ refused: db.raw('refused + ?', [spans.length]) }); // prettier-ignore
  }
  return [...fitting];
}

async function keepsContent({ db }: Ctx, deployId: string): Promise<boolean> {
  const row = await db('deployments')
    .where({ deploy_id: deployId })
    .first<{ content: unknown } | undefined>(db.raw(`manifest->'traces'->'content' as content`));
  return row?.content === true;
}
