// What a contestant's answer to one case of a trial room scores: parts of 0 to 1, each with its weight and
// its reason. Pure: the page shows how it came about.
import { scoreExpected, scoreOf, type Guard, type ScoredRun } from '../quality/score.ts';
import type { TrialCase, TrialCriterion, TrialPart } from './trial-rooms.ts';

/** Of 100 points. What a room does not state has no part, and the others are scaled to 100. */
const TRIAL_WEIGHTS = { schema: 20, expected: 30, facts: 20, criteria: 30, cost: 10, time: 10 } as const;
type TrialPartName = keyof typeof TRIAL_WEIGHTS;

export interface TrialAnswer {
  /** The answer, or why there is none. */
  outcome: { result: unknown } | { error: { code: string } };
  ms: number;
  /** null: a model without a known price was asked. */
  costMicros: number | null;
}

export interface TrialMeasure {
  outputSchema: Record<string, unknown> | undefined;
  of: Pick<TrialCase, 'expected' | 'facts'> & { has_expected: boolean };
  criteria: readonly TrialCriterion[];
  /** By the place of the criterion: what a model gave it. */
  judged: Readonly<Record<number, { score: number | null; reason: string | null }>>;
  /** The most that one case may cost and take: there the part is 0. */
  limits: { costMicros: number; ms: number };
}

const MAX_TEXT = 200_000;

export function partsOf(answer: TrialAnswer, measure: TrialMeasure, guard: Guard): TrialPart[] {
  const { outcome, ms, costMicros } = answer;
  if ('error' in outcome) return [];
  const run: ScoredRun = { outcome, latencyMs: ms, costMicros };
  const parts: TrialPart[] = [];
  const add = (part: TrialPartName, score: number | null, reason: string | null): void => void parts.push({ part, weight: TRIAL_WEIGHTS[part], score, reason });
  if (measure.outputSchema) {
    const given = scoreOf({ kind: 'schema', schema: measure.outputSchema }, run, guard);
    add('schema', given?.score ?? null, given?.reason ?? null);
  }
  if (measure.of.has_expected) {
    const { score, reason } = scoreExpected(measure.of.expected, run);
    add('expected', score, reason);
  }
  if (measure.of.facts.length > 0) {
    const missing = missingFacts(outcome.result, measure.of.facts);
    const matchedFacts = measure.of.facts.length - missing.length;
    add('facts', matchedFacts / measure.of.facts.length, missing.length === 0 ? null : `Not in the answer: ${missing.slice(0, 5).join('; ')}`.slice(0, 500));
  }
  if (measure.criteria.length > 0) addCriteria(add, run, measure, guard);
  add(
    'cost',
    costMicros === null ? null : within(costMicros, measure.limits.costMicros),
    costMicros === null ? 'A model without a known price was asked' : null,
  );
  add('time', within(ms, measure.limits.ms), null);
  return parts;
}

function addCriteria(
  add: (part: TrialPartName, score: number | null, reason: string | null) => void,
  run: ScoredRun,
  measure: TrialMeasure,
  guard: Guard,
): void {
  const given = measure.criteria.map((criterion, at) => ({
    text: criterion.text,
    ...(measure.judged[at] ??
      (criterion.check && scoreOf(criterion.check, run, guard)) ?? { score: null, reason: 'Nothing checks it: give a check, or set up a model' }),
  }));
  const scored = given.flatMap(({ score }) => (score === null ? [] : [score]));
  const short = given.filter(({ score }) => score === null || score < 1).map(({ text, reason }) => (reason === null ? text : `${text}: ${reason}`));
  const mean = scored.length === 0 ? null : scored.reduce((sum, score) => sum + score, 0) / scored.length;
  add('criteria', mean, short.length === 0 ? null : short.join('. ').slice(0, 500));
}

/** Thousandths of a point, 0 to 100,000. No answer scores nothing. */
export function scoreFrom(parts: readonly TrialPart[]): number {
  const counted = parts.flatMap(({ weight, score }) => (score === null ? [] : [{ weight, score }]));
  const total = counted.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return 0;
  return Math.round((counted.reduce((sum, { weight, score }) => sum + weight * score, 0) / total) * 100_000);
}

const within = (spent: number, most: number): number => (most <= 0 ? (spent > 0 ? 0 : 1) : Math.max(0, 1 - spent / most));

/** A fact is there when its words stand in one text or number of the answer, in any case and spacing. */
function missingFacts(result: unknown, facts: readonly string[]): string[] {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/\s+/gu, ' ').trim();
  const texts: string[] = [];
  let left = MAX_TEXT;
  const walk = (value: unknown): void => {
    if (left <= 0) return;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      const text = String(value).slice(0, left);
      left -= text.length;
      texts.push(plain(text));
    } else if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) walk(member);
  };
  walk(result);
  return facts.filter((fact) => {
    const wanted = plain(fact);
    return !texts.some((text) => text.includes(wanted));
  });
}
