import type { SpanOut } from '#contract/runs/traces.ts';
import { SVC } from '#contract/wire/trace-conventions.ts';

const EPOCH = Date.UTC(2026, 10, 25);
export const at = (ms: number): number => EPOCH + ms;

/** A span for tests; times are milliseconds after a moment of 2026. */
export function spanOf(span_id: string, parent_id: string | null, [from, to]: [from: number, to: number | null], more: Partial<SpanOut> = {}): SpanOut {
  const ns = (ms: number): string => `${at(ms)}000000`;
  return {
    span_id,
    parent_id,
    run_id: 'run_1',
    agent: 'demo',
    source: 'platform',
    name: span_id,
    kind: 'internal',
    start_ns: ns(from),
    end_ns: to === null ? null : ns(to),
    status: 'unset',
    message: null,
    attributes: {},
    events: [],
    ...more,
  };
}

export const waitOf = (id: string, parent: string, times: [number, number | null]): SpanOut =>
  spanOf(id, parent, times, { attributes: { [SVC.waitKind]: 'question', [SVC.waitState]: 'answered' } });
