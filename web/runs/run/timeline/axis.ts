// The time axis of a trace: milliseconds to places between 0 and 1. Time in which everything waited for a
// person takes a narrow strip of the same width, however long it was: a question that took a weekend would
// hide everything else.
import type { SpanOut } from '#contract/runs/traces.ts';
import { endOf, isWait, startOf } from './tree.ts';

/** Milliseconds since the epoch. */
export interface Range {
  from: number;
  to: number;
}

interface Segment extends Range {
  /** Places on the axis. */
  start: number;
  end: number;
  /** Everything waited for a person. */
  isIdle: boolean;
}

export interface Axis {
  /** What is shown. */
  range: Range;
  segments: Segment[];
  /** Outside of the range: 0 or 1. */
  at(ms: number): number;
  /** The moment at a place. */
  timeAt(place: number): number;
}

/** Shorter waits are drawn as they are. */
const LEAST_IDLE_MS = 1_000;
/** Of the whole axis, for one strip; all of them together take at most half. */
const STRIP = 0.05;

export function wholeRange(spans: readonly SpanOut[], now: number): Range {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const span of spans) {
    from = Math.min(from, startOf(span));
    to = Math.max(to, endOf(span, now));
  }
  return from <= to ? { from, to: Math.max(to, from + 1) } : { from: now, to: now + 1 };
}

/** @param shown a part of the whole; undefined: all of it */
export function axisOf(spans: readonly SpanOut[], now: number, shown?: Range): Axis {
  const whole = wholeRange(spans, now);
  const range = shown && shown.to > shown.from ? clip(shown, whole) : whole;
  const idle = idleTimes(spans, now).flatMap((one) => {
    const part = { from: Math.max(one.from, range.from), to: Math.min(one.to, range.to) };
    return part.to - part.from >= LEAST_IDLE_MS ? [part] : [];
  });
  const segments = place(split(range, idle));
  return { range, segments, at: (ms) => placeOf(segments, ms), timeAt: (at) => timeOf(segments, at) };
}

function clip(shown: Range, whole: Range): Range {
  const from = Math.min(Math.max(shown.from, whole.from), whole.to - 1);
  return { from, to: Math.max(Math.min(shown.to, whole.to), from + 1) };
}

/** When something waited for a person and nothing else was at work. What is above a wait waits with it. */
export function idleTimes(spans: readonly SpanOut[], now: number): Range[] {
  const parents = new Map(spans.map(({ span_id, parent_id }) => [span_id, parent_id]));
  const waiting = new Set<string>();
  for (const span of spans) {
    if (!isWait(span)) continue;
    for (let at: string | null = span.span_id; at !== null && !waiting.has(at); at = parents.get(at) ?? null) waiting.add(at);
  }
  const time = (span: SpanOut): Range => ({ from: startOf(span), to: endOf(span, now) });
  const busy = joined(spans.filter(({ span_id }) => !waiting.has(span_id)).map(time));
  return joined(spans.filter(isWait).map(time)).flatMap((wait) => without(wait, busy));
}

/** Those that touch, as one. In order. */
function joined(ranges: readonly Range[]): Range[] {
  const all: Range[] = [];
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else all.push({ from, to });
  }
  return all;
}

function without(range: Range, busy: readonly Range[]): Range[] {
  const left: Range[] = [];
  let from = range.from;
  for (const one of busy) {
    if (one.to <= from) continue;
    if (one.from >= range.to) break;
    if (one.from > from) left.push({ from, to: one.from });
    from = Math.max(from, one.to);
  }
  if (from < range.to) left.push({ from, to: range.to });
  return left;
}

function split(range: Range, idle: readonly Range[]): Omit<Segment, 'start' | 'end'>[] {
  const all: Omit<Segment, 'start' | 'end'>[] = [];
  let from = range.from;
  for (const one of idle) {
    if (one.from > from) all.push({ from, to: one.from, isIdle: false });
    all.push({ ...one, isIdle: true });
    from = one.to;
  }
  if (from < range.to || all.length === 0) all.push({ from, to: range.to, isIdle: false });
  return all;
}

function place(parts: readonly Omit<Segment, 'start' | 'end'>[]): Segment[] {
  const strips = parts.filter(({ isIdle }) => isIdle).length;
  const busy = parts.reduce((sum, { from, to, isIdle }) => sum + (isIdle ? 0 : to - from), 0);
  const forStrips = busy <= 0 ? 1 : Math.min(0.5, strips * STRIP);
  let start = 0;
  return parts.map((part, index) => {
    const width = part.isIdle ? forStrips / strips : ((1 - forStrips) * (part.to - part.from)) / busy;
    const end = index === parts.length - 1 ? 1 : start + width;
    const segment = { ...part, start, end };
    start = end;
    return segment;
  });
}

function placeOf(segments: readonly Segment[], ms: number): number {
  for (const { from, to, start, end } of segments) if (ms <= to) return ms <= from ? start : start + ((end - start) * (ms - from)) / (to - from);
  return 1;
}

function timeOf(segments: readonly Segment[], at: number): number {
  for (const { from, to, start, end } of segments) if (at <= end) return at <= start ? from : from + ((to - from) * (at - start)) / (end - start);
  return segments.at(-1)?.to ?? 0;
}

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 86_400_000]; // prettier-ignore

export interface Tick {
  at: number;
  /** Milliseconds since `zero`. */
  offset: number;
}

/** Round moments with room between them. @param zero what they are counted from @param most how many fit */
export function ticksOf({ segments, range }: Axis, zero: number, most: number): Tick[] {
  const busy = segments.reduce((sum, { from, to, isIdle }) => sum + (isIdle ? 0 : to - from), 0);
  const step = STEPS.find((one) => busy / one <= most) ?? Math.max(86_400_000, (range.to - range.from) / most);
  const ticks: Tick[] = [];
  for (const { from, to, isIdle, start, end } of segments) {
    if (isIdle) continue;
    for (let offset = Math.ceil((from - zero) / step) * step; offset <= to - zero; offset += step) {
      const at = start + ((end - start) * (offset + zero - from)) / (to - from);
      if (at - (ticks.at(-1)?.at ?? -1) >= 0.5 / most && !segments.some((idle) => isUnder(idle, at))) ticks.push({ at, offset });
    }
  }
  return ticks;
}

/** The words of a strip stand there. */
function isUnder({ isIdle, start, end }: Segment, at: number): boolean {
  return isIdle && at > start - 0.09 && at < end + 0.03;
}

/**
 * More of the time, or less, around a place of what is shown. Undefined: all of it. @param part of what is
 * shown now: 0.5 is twice as near, 2 as far
 */
export function zoomed(whole: Axis, shown: Axis, part: number, around: number): Range | undefined {
  const [start, end] = [whole.at(shown.range.from), whole.at(shown.range.to)];
  const width = (end - start) * part;
  if (width >= 0.98) return undefined;
  const middle = whole.at(shown.timeAt(around));
  const from = Math.min(Math.max(0, middle - width * around), 1 - width);
  const range = { from: whole.timeAt(from), to: whole.timeAt(from + width) };
  return range.to - range.from < 0.01 ? shown.range : range;
}
