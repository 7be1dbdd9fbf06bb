// The spans of a trace as rows: who is below whom, which are shown, what a filter leaves.
import type { SpanOut } from '#contract/runs/traces.ts';
import { SVC } from '#contract/wire/trace-conventions.ts';

export interface Row {
  span: SpanOut;
  depth: number;
  /** Spans below it, directly. */
  children: number;
  /** Its own rows are not shown. */
  isClosed: boolean;
  /** The filter found it; else it only leads to one that was found. */
  isFound: boolean;
  /** It stands for so many equal waits, one after the other. */
  same?: number;
}

export interface Filter {
  text: string;
  errorsOnly: boolean;
}

/**
 * In the order of a tree: each span before those below it, siblings by start. Without recursion: an agent may
 * nest its spans ten thousand deep.
 */
export function rowsOf(spans: readonly SpanOut[], closed: ReadonlySet<string>, filter: Filter): Row[] {
  const ids = new Set(spans.map(({ span_id }) => span_id));
  const below = Map.groupBy(spans, ({ parent_id }) => (parent_id !== null && ids.has(parent_id) ? parent_id : null));
  const matches = filterMatches(spans, filter);
  const rows: Row[] = [];
  const stack: Pick<Row, 'span' | 'depth' | 'same'>[] = (below.get(null) ?? []).map((span) => ({ span, depth: 0 })).reverse();
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { span, depth, same } = next;
    const own = matches ? (below.get(span.span_id) ?? []).map((one) => ({ span: one })) : equalWaits(below.get(span.span_id) ?? []);
    const isMatch = matches?.get(span.span_id);
    if (matches && isMatch === undefined) continue;
    // A filter shows all that it found.
    const isClosed = !matches && closed.has(span.span_id);
    rows.push({ span, depth, children: own.length, isClosed, isFound: isMatch ?? true, ...(same !== undefined && { same }) });
    if (!isClosed) for (const child of own.toReversed()) stack.push({ ...child, depth: depth + 1 });
  }
  return rows;
}

/** So many that follow each other are one row. */
const MANY = 5;

/** Of siblings: equal waits that follow each other become one, from the first to the last. */
function equalWaits(spans: readonly SpanOut[]): Pick<Row, 'span' | 'same'>[] {
  const groups: SpanOut[][] = [];
  for (const span of spans) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    if (group && first && isWait(span) && isWait(first) && first.name === span.name && first.status === span.status) group.push(span);
    else groups.push([span]);
  }
  return groups.flatMap((group) => {
    const [first, last] = [group[0], group.at(-1)];
    if (group.length < MANY || !first || !last) return group.map((span) => ({ span }));
    return [{ span: { ...first, end_ns: last.end_ns }, same: group.length }];
  });
}

/** True: found; false: above one that was found; absent: left out. Undefined: there is no filter. */
function filterMatches(spans: readonly SpanOut[], { text, errorsOnly }: Filter): ReadonlyMap<string, boolean> | undefined {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0 && !errorsOnly) return undefined;
  const parents = new Map(spans.map(({ span_id, parent_id }) => [span_id, parent_id]));
  const matches = new Map<string, boolean>();
  for (const span of spans) {
    if (errorsOnly && span.status !== 'error') continue;
    const spanText = textOf(span);
    if (!words.every((word) => spanText.includes(word))) continue;
    matches.set(span.span_id, true);
    for (let at = span.parent_id; at !== null && !matches.has(at); at = parents.get(at) ?? null) matches.set(at, false);
  }
  return matches;
}

const MAX_TEXT = 2_000;

/** What the filter looks at: the name, the agent, what failed, and short attributes. */
function textOf({ name, agent, message, attributes }: SpanOut): string {
  const values = Object.values(attributes).filter((value) => typeof value === 'string' || typeof value === 'number');
  return [name, agent, message ?? '', ...values].join(' ').slice(0, MAX_TEXT).toLowerCase();
}

export function isWait({ source, attributes }: Pick<SpanOut, 'source' | 'attributes'>): boolean {
  return source === 'platform' && attributes[SVC.waitKind] !== undefined;
}

export const startOf = ({ start_ns }: Pick<SpanOut, 'start_ns'>): number => Number(start_ns) / 1e6;
/** Of an open span: now. */
export const endOf = ({ start_ns, end_ns }: Pick<SpanOut, 'start_ns' | 'end_ns'>, now: number): number =>
  Math.max(Number(start_ns) / 1e6, end_ns === null ? now : Number(end_ns) / 1e6);
