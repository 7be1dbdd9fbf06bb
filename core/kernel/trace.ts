// Ids of traces and spans. They follow from the ids of runs, waits and uses of models, so a trace is the same
// whenever it is read or exported, and no call waits for one to be written. What a caller said of its own
// trace is kept, because nothing else leads to it.
import { createHash } from 'node:crypto';
import type { TraceContext } from '#contract/wire/trace-context.ts';
import { writeTraceparent } from '#contract/wire/trace-context.ts';
import type { RunActor } from './ctx.ts';

type Traced = Pick<RunActor, 'run_id' | 'root_run_id' | 'trace'>;

/** The span of what has this id. */
export function spanIdOf(id: string): string {
  return digest(id).slice(0, 16);
}

/** The trace that a run belongs to: its caller's, or the one of the first run of its chain. */
export function traceIdOf(run: Traced): string {
  return run.trace?.trace_id ?? digest(run.root_run_id ?? run.run_id).slice(0, 32);
}

/** Null: the run begins its trace. */
export function parentSpanOf(run: Pick<RunActor, 'parent_run_id' | 'trace'>): string | null {
  return run.trace?.parent_span_id ?? (run.parent_run_id === null ? null : spanIdOf(run.parent_run_id));
}

/** What the agent continues, of its run: the platform records every run. */
export function traceparentOf(run: Traced): string {
  return writeTraceparent({ trace_id: traceIdOf(run), span_id: spanIdOf(run.run_id), sampled: true });
}

/**
 * What a new run keeps of the request that began it; undefined: nothing but what follows from ids. A run
 * stays in its own trace whatever it sends: its request may only say which of its spans calls.
 */
export function traceOfCall(sent: TraceContext | undefined, parent: RunActor | undefined): RunActor['trace'] {
  const others = sent?.state === undefined ? {} : { state: sent.state };
  if (!parent) return sent && { trace_id: sent.trace_id, parent_span_id: sent.sampled ? sent.span_id : null, ...others };
  const parent_span_id = askingSpan(sent, parent);
  const isOwn = sent?.trace_id === traceIdOf(parent);
  return parent.trace || parent_span_id !== null ? { trace_id: traceIdOf(parent), parent_span_id, ...(isOwn && others) } : undefined;
}

/** The trace of each step of a plan, which only the platform calls. */
export function traceOfPlan(planId: string): NonNullable<RunActor['trace']> {
  return { trace_id: digest(planId).slice(0, 32), parent_span_id: spanIdOf(planId) };
}

/** Which of its own spans a run asks something in; null: none that it names in its own trace. */
export function askingSpan(sent: TraceContext | undefined, run: Traced): string | null {
  return sent?.sampled && sent.trace_id === traceIdOf(run) ? sent.span_id : null;
}

/** For rows of runs and receipts. */
export function traceColumns({ trace }: Pick<RunActor, 'trace'>): { trace_id: string | null; parent_span_id: string | null } {
  return { trace_id: trace?.trace_id ?? null, parent_span_id: trace?.parent_span_id ?? null };
}

/** Of such a row. */
export function traceOfRow(row: { trace_id: string | null; parent_span_id: string | null; trace_state?: string | null }): Pick<RunActor, 'trace'> {
  const { trace_id, parent_span_id, trace_state } = row;
  return trace_id === null ? {} : { trace: { trace_id, parent_span_id, ...(typeof trace_state === 'string' && { state: trace_state }) } };
}

function digest(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}
