// An evaluation beside an earlier one: what got better, what got worse, and whether that fails a build.
import type { EvaluationOut } from '#contract/quality/evaluations.ts';

/** What is compared: of the platform, or of a run on this machine. */
export type Shares = Pick<EvaluationOut, 'items' | 'passed' | 'rules'>;

export interface Row {
  /** Of a rule, or of whole examples. */
  name: string;
  passed: number;
  scored: number;
  /** Of those that were scored; undefined: none. */
  share: number | undefined;
  before: number | undefined;
}

const WHOLE = 'examples';

export function rowsOf(now: Shares, before: Shares | undefined): Row[] {
  const all = (of: Shares) => [{ rule: WHOLE, passed: of.passed, scored: of.items }, ...of.rules];
  return all(now).map(({ rule, passed, scored }) => {
    const old = before && all(before).find((one) => one.rule === rule);
    return { name: rule, passed, scored, share: shareOf(passed, scored), before: old && shareOf(old.passed, old.scored) };
  });
}

const shareOf = (passed: number, scored: number): number | undefined => (scored === 0 ? undefined : passed / scored);

/**
 * Sentences, one for each row that fails. A share that is as it was never fails, whatever floats make of it.
 */
export function failuresOf(rows: readonly Row[], { tolerance, min }: { tolerance: number; min: number | undefined }): string[] {
  return rows.flatMap(({ name, share, before }) => {
    if (share === undefined) return [];
    if (before !== undefined && share < before - tolerance - 1e-9) return [`${name}: ${percent(share)} passed, ${percent(before)} before`];
    return name === WHOLE && min !== undefined && share < min - 1e-9 ? [`${name}: ${percent(share)} passed, less than ${percent(min)}`] : [];
  });
}

export const percent = (share: number): string => `${(share * 100).toFixed(share * 100 === Math.round(share * 100) ? 0 : 1)} %`;

export function changeOf({ share, before }: Row): string {
  if (share === undefined || before === undefined) return '';
  const points = (share - before) * 100;
  return Math.abs(points) < 0.05 ? 'as before' : `${points > 0 ? '+' : ''}${points.toFixed(1)} points`;
}
