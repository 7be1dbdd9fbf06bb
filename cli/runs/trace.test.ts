import { expect, test } from 'vitest';
import type { SpanOut, TraceOut } from '#contract/runs/traces.ts';
import { traceLines } from './trace.ts';

const HOUR = 3_600_000;
const span = (span_id: string, parent_id: string | null, from: number, to: number | null, more: Partial<SpanOut> = {}): SpanOut => ({
  span_id,
  parent_id,
  run_id: 'run_1',
  agent: 'a',
  source: 'platform',
  name: span_id,
  kind: 'internal',
  start_ns: `${from}000000`,
  end_ns: to === null ? null : `${to}000000`,
  status: 'ok',
  message: null,
  attributes: {},
  events: [],
  ...more,
});
const trace = (spans: SpanOut[], more: Partial<TraceOut> = {}): TraceOut => ({
  trace_id: 'a'.repeat(32),
  run_id: 'run_1',
  root_run_id: 'run_1',
  remote_parent_id: null,
  spans,
  usage: { input_tokens: 0, output_tokens: 0, cost_micros: 0 },
  truncated: false,
  refused_spans: 0,
  ...more,
});
const lines = (spans: SpanOut[], more?: Partial<TraceOut>, now = 0): string[] =>
  traceLines(trace(spans, more), { now, dim: (text) => text, bad: (text) => `!${text}!` }).slice(1);

test('a tree with times and bars; a question that took two days takes no room in them', () => {
  const asked = { attributes: { 'svc.wait.kind': 'question', 'svc.wait.state': 'answered' } };
  expect(
    lines([
      span('run', null, 0, 48 * HOUR + 2_000, { attributes: { 'svc.skill': 'report' } }),
      span('before', 'run', 0, 1_000),
      span('inner', 'before', 500, 1_000),
      span('wait', 'run', 1_000, 48 * HOUR + 1_000, asked),
      span('after', 'run', 48 * HOUR + 1_000, 48 * HOUR + 2_000, { status: 'error', message: 'no paint' }),
    ]),
  ).toEqual([
    'run             2 days  [========================]  report',
    '├─ before        1.0 s  [============            ]',
    '│  └─ inner     500 ms  [      ======            ]',
    '├─ wait         2 days  [            ·           ]  answered',
    '└─ after         1.0 s  [            ============]  !no paint!',
  ]);
});

test('what goes on is drawn to now; tokens and cost, what is missing and what was refused are said', () => {
  const models = { attributes: { 'gen_ai.usage.input_tokens': 120, 'gen_ai.usage.output_tokens': 8, 'svc.cost_micros': 1_500 } };
  const shown = lines(
    [span('run', null, 0, null), span('chat m-1', 'run', 0, 500, models)],
    { usage: { input_tokens: 120, output_tokens: 8, cost_micros: null }, truncated: true, refused_spans: 7 },
    1_000,
  );
  expect(shown).toEqual([
    'run            1.0 s …  [========================]',
    '└─ chat m-1     500 ms  [============            ]  120 + 8 tokens, $0.001500',
    'Models: 120 + 8 tokens, no known price',
    'There is more than is shown.',
    '7 spans of agents were not taken: too many, too large, or not of this run.',
  ]);
});

test('names of an agent cannot write to the terminal, and ten thousand levels are drawn', () => {
  const deep = Array.from({ length: 10_000 }, (_, n) => span(`s${n}`, n === 0 ? 'run' : `s${n - 1}`, n, n, { source: 'agent', name: '\u001B[2Jhidden\nline' }));
  const shown = lines([span('run', null, 0, 1), ...deep]);
  expect(shown).toHaveLength(10_001);
  expect(shown.join('')).not.toMatch(/\u001B|\n/);
});
