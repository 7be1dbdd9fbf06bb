// Dollars as people write them, micro-dollars as the platform counts them: digit by digit, since floats would
// round.
import { UsageError } from './errors.ts';

export { changeInDollars, dollars, signedDollars } from '#contract/money/dollars.ts';

const MICROS = 1_000_000;

/** Micro-dollars of an amount given on the command line; `max` in dollars. @throws UsageError */
export function micros(option: string, text: string, max: number): number {
  const [, whole, part = ''] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  const value = whole === undefined ? Number.NaN : Number(whole) * MICROS + Number(part.padEnd(6, '0'));
  if (!(value <= max * MICROS)) {
    throw new UsageError(`${option} must be dollars from 0 to ${max}, as digits with at most six after a point, e.g. 5 or 2.50, not "${text}".`);
  }
  return value;
}
