// Dollars as people write them, micro-dollars as the platform counts them: digit by digit, since floats would
// round.
import { number } from './number.ts';
const MICROS = 1_000_000;

/** Micro-dollars of a typed amount: "5", "2.50"; undefined: it is no amount from 0 to `max` dollars. */
export function microsOf(text: string, max: number): number | undefined {
  const [, whole, part = ''] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text.trim()) ?? [];
  if (whole === undefined) return undefined;
  const value = Number(whole) * MICROS + Number(part.padEnd(6, '0'));
  return value <= max * MICROS ? value : undefined;
}

/** `$2.50`, `$0.000007`: all of it, and cents at least. */
export function dollars(micros: number): string {
  const rest = micros % MICROS;
  const part = String(rest).padStart(6, '0');
  return `$${number((micros - rest) / MICROS)}.${part.slice(0, 2)}${part.slice(2).replace(/0+$/, '')}`;
}

/** The same of amounts that may be below zero: `-$2.50`. */
export function signedDollars(micros: number): string {
  return micros < 0 ? `-${dollars(-micros)}` : dollars(micros);
}

/** Without the sign and separators: what a field begins with. */
export function amount(micros: number | null): string {
  return micros === null ? '' : dollars(micros).replaceAll(/[$,]/g, '').replace(/\.00$/, '');
}

/** Of what came or went: `+$2.50`, `-$0.01`. */
export function changeInDollars(micros: number): string {
  return micros < 0 ? signedDollars(micros) : `+${dollars(micros)}`;
}

/** Of US cents. */
export function ofCents(cents: number): string {
  return dollars(cents * 10_000);
}
