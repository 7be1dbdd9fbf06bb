// The trace of a run as a tree for the terminal.
import type { SpanOut, TraceOut } from '#contract/runs/traces.ts';
import { GEN_AI, SVC } from '#contract/wire/trace-conventions.ts';
import { plain } from '../lib/output.ts';

export interface TraceLook {
  /** Milliseconds since the epoch, for what goes on. */
  now: number;
  dim(text: string): string;
  bad(text: string): string;
}

const BAR = 24;
const MAX_NAME = 60;
/** Levels beyond it are shown at it: an agent may nest as deep as it likes. */
const MAX_DEPTH = 24;

interface Timeline {
  /** Share of the whole at a moment, 0 to 1, without the time that was waited. */
  at(ms: number): number;
}

export function traceLines(trace: TraceOut, look: TraceLook): string[] {
  const { spans, usage, truncated, refused_spans } = trace;
  const line = timeline(spans, look.now);
  const rows = treeRows(spans).map(({ span, depth, last }) => {
    const branch = depth === 0 ? '' : `${'│  '.repeat(Math.min(depth, MAX_DEPTH) - 1)}${last ? '└─ ' : '├─ '}`;
    return { label: branch + plain(span.name).slice(0, MAX_NAME), span };
  });
  const width = Math.max(0, ...rows.map(({ label }) => label.length));
  return [
    look.dim(`Trace ${trace.trace_id}`),
    ...rows.map(({ label, span }) =>
      [label.padEnd(width), durationOf(span, look.now).padStart(9), look.dim(barOf(span, line, look.now)), aboutIt(span, look)].join('  ').trimEnd(),
    ),
    ...(usage.input_tokens + usage.output_tokens > 0 ? [`Models: ${tokens(usage.input_tokens, usage.output_tokens)}${cost(usage.cost_micros)}`] : []),
    ...(truncated ? [look.dim('There is more than is shown.')] : []),
    ...(refused_spans > 0 ? [look.dim(`${refused_spans} spans of agents were not taken: too many, too large, or not of this run.`)] : []),
  ];
}

interface Row {
  span: SpanOut;
  depth: number;
  last: boolean;
}

/** Without recursion: an agent may nest its spans ten thousand deep. */
function treeRows(spans: readonly SpanOut[]): Row[] {
  const below = Map.groupBy(spans, ({ parent_id }) => parent_id);
  const rows: Row[] = [];
  const open = (parent: string | null, depth: number): Row[] => (below.get(parent) ?? []).map((span, at, all) => ({ span, depth, last: at === all.length - 1 })); // prettier-ignore
  const stack = open(null, 0).reverse();
  for (let row = stack.pop(); row; row = stack.pop()) {
    rows.push(row);
    stack.push(...open(row.span.span_id, row.depth + 1).reverse());
  }
  return rows;
}

function isWait({ source, attributes }: SpanOut): boolean {
  return source === 'platform' && attributes[SVC.waitKind] !== undefined;
}

function startOf({ start_ns }: SpanOut): number {
  return Number(start_ns) / 1e6;
}
function endOf({ end_ns }: SpanOut, now: number): number {
  return end_ns === null ? now : Number(end_ns) / 1e6;
}

/** Time that was waited is left out: a question that took a weekend would hide everything else. */
function timeline(spans: readonly SpanOut[], now: number): Timeline {
  const from = spans.reduce((least, span) => Math.min(least, startOf(span)), Number.POSITIVE_INFINITY);
  const to = spans.reduce((most, span) => Math.max(most, endOf(span, now)), from);
  const idle: [from: number, to: number][] = [];
  const waits = spans.filter(isWait).map((span): [number, number] => [startOf(span), endOf(span, now)]); // prettier-ignore
  for (const [start, end] of waits.sort(([a], [b]) => a - b)) {
    const last = idle.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else idle.push([start, end]);
  }
  const busyUntil = (ms: number): number => ms - from - idle.reduce((sum, [start, end]) => sum + Math.max(0, Math.min(end, ms) - start), 0);
  const whole = busyUntil(to);
  return { at: (ms) => (whole <= 0 ? 0 : Math.min(1, Math.max(0, busyUntil(ms) / whole))) };
}

function barOf(span: SpanOut, line: Timeline, now: number): string {
  const first = Math.min(BAR - 1, Math.floor(line.at(startOf(span)) * BAR));
  const past = Math.max(first + 1, Math.ceil(line.at(endOf(span, now)) * BAR));
  return `[${' '.repeat(first)}${(isWait(span) ? '·' : '=').repeat(past - first)}${' '.repeat(BAR - past)}]`;
}

function aboutIt(span: SpanOut, look: TraceLook): string {
  const { attributes, events, message, status } = span;
  const [input, output] = [attributes[GEN_AI.inputTokens], attributes[GEN_AI.outputTokens]];
  const skill = attributes[SVC.skill];
  const details = [
    typeof skill === 'string' ? plain(skill) : '',
    typeof input === 'number' ? tokens(input, Number(output ?? 0)) + (span.source === 'platform' ? cost(attributes[SVC.costMicros]) : '') : '',
    isWait(span) ? plain(String(attributes[SVC.waitState])) : '',
    attributes[SVC.runState] === 'cancelled' ? 'cancelled' : '',
    events.some(({ name }) => name === 'svc.run.restarted') ? `restarted ${events.length}×` : '',
  ].filter((text) => text !== '');
  const failed = status === 'error' ? [look.bad(plain(message ?? 'failed').slice(0, MAX_NAME))] : [];
  return [...details, ...failed].join(' · ');
}

function durationOf(span: SpanOut, now: number): string {
  const ms = Math.max(0, endOf(span, now) - startOf(span));
  return `${ms < 1_000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : longTime(ms)}${span.end_ns === null ? ' …' : ''}`;
}

function longTime(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : `${Math.round(minutes / 1_440)} days`;
}

function tokens(input: number, output: number): string {
  return `${input} + ${output} tokens`;
}

/** Of micro-dollars. */
function cost(micros: unknown): string {
  if (typeof micros !== 'number') return micros === null ? ', no known price' : '';
  return `, $${(micros / 1e6).toFixed(micros > 0 && micros < 10_000 ? 6 : 2)}`;
}
