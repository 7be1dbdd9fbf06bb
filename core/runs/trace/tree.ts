// One tree of all spans: what an agent says of parents is believed within its own run, and whatever has no
// way to its run is put below it.
import type { SpanOut } from '#contract/runs/traces.ts';
import { spanIdOf } from '../../kernel/trace.ts';
import type { RunFacts } from './facts.ts';

/**
 * `seen`: of the platform; where an agent gives a span an id of these, the platform's stays. In the order of
 * their starts, and of their ids where these are equal: each reading is the same.
 */
export function treeOf(runs: readonly RunFacts[], seen: readonly SpanOut[], said: readonly SpanOut[]): SpanOut[] {
  const parents = new Map(runs.map(({ run_id, parent_run_id }) => [run_id, parent_run_id]));
  const depths = new Map(runs.map(({ run_id }) => [run_id, depthOf(run_id, parents)]));
  const depth = ({ run_id }: SpanOut): number => depths.get(run_id) ?? 0;
  const spans = new Map(seen.map((span) => [span.span_id, span]));
  // A run knows the id of the span that called it: where it says that one too, its caller's stays.
  for (const span of said.toSorted((a, b) => depth(a) - depth(b))) if (!spans.has(span.span_id)) spans.set(span.span_id, span);
  // A hash for each: not one for each span.
  const top = new Map(runs.map(({ run_id }) => [run_id, spanIdOf(run_id)]));
  const rooted = new Set(top.values());
  const isRun = (span: SpanOut): boolean => span.span_id === top.get(span.run_id);

  /**
   * The span that it may hang on, if it names one: of its own run, and for a run of the run that called it.
   */
  const named = (span: SpanOut): SpanOut | undefined => {
    const parent = span.parent_id === null ? undefined : spans.get(span.parent_id);
    return parent && parent.run_id === (isRun(span) ? parents.get(span.run_id) : span.run_id) ? parent : undefined;
  };
  const placed = (span: SpanOut): SpanOut => {
    const above = isRun(span) ? (parents.get(span.run_id) ?? null) : span.run_id;
    const parent = above === null ? undefined : top.get(above);
    return { ...span, parent_id: parent !== undefined && spans.has(parent) ? parent : null };
  };

  for (const span of spans.values()) {
    if (isRun(span)) {
      if (!named(span)) spans.set(span.span_id, placed(span));
      continue;
    }
    // Along its parents to something with a way to the run; a circle has none.
    const way: SpanOut[] = [];
    const met = new Set<string>();
    for (let at: SpanOut | undefined = span; at && !rooted.has(at.span_id) && !met.has(at.span_id); at = named(at)) {
      met.add(at.span_id);
      way.push(at);
    }
    const last = way.at(-1);
    const end = last && named(last);
    if (last && !(end && rooted.has(end.span_id))) spans.set(last.span_id, placed(last));
    for (const { span_id } of way) rooted.add(span_id);
  }
  return [...spans.values()].sort((a, b) => a.start_ns.length - b.start_ns.length || compare(a.start_ns, b.start_ns) || compare(a.span_id, b.span_id));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a === b ? 0 : 1;
}

/** Of the runs above it. */
function depthOf(runId: string, parents: ReadonlyMap<string, string | null>): number {
  let depth = 0;
  for (let at = parents.get(runId); at && parents.has(at) && depth < parents.size; at = parents.get(at)) depth += 1;
  return depth;
}
