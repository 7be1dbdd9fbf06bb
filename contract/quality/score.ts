// Scores one run by one rule. Pure: the platform scores runs with it, and `svc eval --local` scores what runs
// on a laptop.
import type { ScoreOut, EvaluationCheck } from './evaluations.ts';
import { modelOf } from '../wire/arguments.ts';
import { atPointer, pointerTo } from '../wire/json-pointer.ts';

/** What is known of a run that has ended. */
export interface ScoredRun {
  /** Undefined: it is not known, and rules that look at it give no score. */
  outcome: { result: unknown } | { error: { code: string } } | undefined;
  latencyMs: number;
  /** null: a model without a known price was asked. */
  costMicros: number | null;
}

export type Score = Omit<ScoreOut, 'rule'>;

/** Ends work on what others wrote; undefined: it took too long. */
export type Guard = <T>(work: () => T) => { value: T } | undefined;

const MAX_TEXT = 200_000;
const MAX_REASON = 500;
const passed: Score = { passed: true, score: 1, reason: null };
const failed = (reason: string): Score => ({ passed: false, score: 0, reason: reason.slice(0, MAX_REASON) });
const unscored = (reason: string): Score => ({ passed: null, score: null, reason });

/** Undefined: it says nothing of this run. Of a judge and a thumb: the platform asks. */
export function scoreOf(check: EvaluationCheck, run: ScoredRun, guard: Guard): Score | undefined {
  switch (check.kind) {
    case 'latency':
      return run.latencyMs <= check.max_ms ? passed : failed(`It took ${Math.round(run.latencyMs)} ms, more than ${check.max_ms}`);
    case 'cost':
      if (run.costMicros === null) return unscored('It asked a model that has no known price');
      return run.costMicros <= check.max_micros ? passed : failed(`It cost ${run.costMicros} micro-dollars, more than ${check.max_micros}`);
    case 'schema':
    case 'matches': {
      if (run.outcome === undefined) return undefined;
      if ('error' in run.outcome) return failed(`The run ended with ${run.outcome.error.code}`);
      const { result } = run.outcome;
      const done = guard(() => (check.kind === 'schema' ? fits(check.schema, result) : matches(check, result)));
      return done === undefined ? unscored('The rule took too long on this result: simplify it') : done.value;
    }
    case 'thumb':
    case 'judge':
      return undefined;
  }
}

/** The result that an example names. */
export function scoreExpected(expected: unknown, run: ScoredRun): Score {
  if (run.outcome === undefined) return unscored('The result is not known');
  if ('error' in run.outcome) return failed(`The run ended with ${run.outcome.error.code}`);
  const at = differenceAt(expected, run.outcome.result, '');
  return at === undefined ? passed : failed(`The result is another at ${at === '' ? 'its top' : at}`);
}

function fits(schema: Record<string, unknown>, result: unknown): Score {
  const checked = modelOf(schema).safeParse(result);
  if (checked.success) return passed;
  const [first] = checked.error.issues;
  return failed(`${first?.path.map(String).join('.') || '(top)'}: ${first?.message ?? 'does not fit the schema'}`);
}

function matches({ pattern, pointer, absent }: Extract<EvaluationCheck, { kind: 'matches' }>, result: unknown): Score {
  const value = atPointer(result, pointer);
  if (value === undefined) return absent ? passed : failed(`The result has nothing at ${pointer}`);
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_TEXT);
  const isMatch = new RegExp(pattern, 'u').test(text);
  if (isMatch !== absent) return passed;
  return failed(absent ? 'The pattern was found' : 'The pattern was not found');
}

/** JSON Pointer of the first place where two JSON values differ; members may have any order. */
function differenceAt(a: unknown, b: unknown, at: string): string | undefined {
  if (Object.is(a, b)) return undefined;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(a) !== Array.isArray(b)) return at;
  const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  for (const key of new Set([...left.keys(), ...right.keys()])) {
    const place = `${at}${pointerTo([key])}`;
    if (!left.has(key) || !right.has(key)) return place;
    const inner = differenceAt(left.get(key), right.get(key), place);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
