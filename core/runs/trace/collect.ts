// All spans of some runs, as one tree.
import type { SpanOut } from '#contract/runs/traces.ts';
import type { StoredSpan } from '#drivers/traces/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { modelSpan, runSpan, waitSpan } from './derive.ts';
import type { RunFacts } from './facts.ts';
import { treeOf } from './tree.ts';

/** Of all runs of one trace, beside what agents and sandboxes say. */
const MAX_ROWS = 20_000;
export const MAX_STORED = 20_000;

export interface Collected {
  spans: SpanOut[];
  truncated: boolean;
}

/** `pays`: whose uses of models are shown with what they cost. */
export async function collectSpans(
  { db, drivers }: Pick<Ctx, 'db' | 'drivers'>,
  runs: readonly RunFacts[],
  pays: (userId: string) => boolean,
): Promise<Collected> {
  const ids = runs.map(({ run_id }) => run_id);
  const byId = new Map(runs.map((run) => [run.run_id, run]));
  const since = new Date(Math.min(...runs.map(({ started_at }) => started_at.getTime())));
  const again = runs.flatMap(({ attempt, job_id }) => (attempt > 1 && job_id !== null ? [job_id] : []));
  const [waits, uses, restarts, stored] = await Promise.all([
    db('waits')
      .whereIn('run_id', ids)
      .orderBy(['created_at', 'wait_id'])
      .limit(MAX_ROWS + 1)
      .select('wait_id', 'kind', 'state', 'created_at', 'resolved_at', 'run_id'),
    db('llm_usage')
      .whereIn('run_id', ids)
      .orderBy(['started_at', 'usage_id'])
      .limit(MAX_ROWS + 1),
    again.length === 0 ? [] : db('job_events').whereIn('job_id', again).where({ kind: 'job.restarted' }).orderBy('at').limit(1_000),
    drivers.traces.ofRuns(ids, { since, limit: MAX_STORED + 1 }),
  ]);
  const seen: SpanOut[] = runs.map((run) => runSpan(run, run.job_id === null ? [] : restarts.filter(({ job_id }) => job_id === run.job_id)));
  for (const wait of waits.slice(0, MAX_ROWS)) {
    const run = byId.get(wait.run_id ?? '');
    if (run) seen.push(waitSpan(wait, run));
  }
  for (const use of uses.slice(0, MAX_ROWS)) {
    const run = byId.get(use.run_id ?? '');
    if (run) seen.push(modelSpan(use, run, pays(use.user_id)));
  }
  const reportedSpans = stored.slice(0, MAX_STORED).map(shown);
  return { spans: treeOf(runs, seen, reportedSpans), truncated: waits.length > MAX_ROWS || uses.length > MAX_ROWS || stored.length > MAX_STORED };
}

function shown({ trace_id: _trace, owner_id: _owner, agent_name, ...span }: StoredSpan): SpanOut {
  return { ...span, agent: agent_name };
}
