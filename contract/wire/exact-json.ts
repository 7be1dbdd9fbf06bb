// JSON whose numbers arrive as they were sent. JavaScript reads each as a double: 9007199254740993 would
// become 9007199254740992, and nobody would see it. What a double cannot carry is refused, in both
// directions. Node and browsers give the source of each number to the reviver of JSON.parse.
import { withoutEnds } from './trim.ts';

export class NumberOutOfRange extends Error {
  constructor(source: string) {
    const shown = source.length > 40 ? `${source.slice(0, 40)}…` : source;
    super(`${shown} cannot be carried exactly: whole numbers go up to 9007199254740991 (2^53 - 1), fractions have at most 17 digits. Send it as a string`);
    this.name = 'NumberOutOfRange';
  }
}

/**
 * No number with fewer characters, and without an exponent, can be inexact. Texts match too: that only costs
 * time.
 */
const MAYBE = /[\d.]{16}|\d[eE][+-]?\d/;

/** @throws SyntaxError, NumberOutOfRange */
export function parseExact(text: string): unknown {
  if (!MAYBE.test(text)) return JSON.parse(text);
  return parseWithSources(text, (_key, value, { source }) => {
    if (typeof value === 'number' && source !== undefined && !isExactNumber(source)) throw new NumberOutOfRange(source);
    return value;
  });
}

/**
 * For what is passed on: such a number is kept as its digits, which JSON.stringify writes again. It is an
 * object to all who read it. @throws SyntaxError
 */
export function parseKeepingDigits(text: string): unknown {
  if (!MAYBE.test(text)) return JSON.parse(text);
  return parseWithSources(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && !isExactNumber(source) ? RAW.rawJSON(source) : value,
  );
}

export function isRawNumber(value: unknown): boolean {
  return RAW.isRawJSON(value);
}

// Safe: Node has both; TypeScript's library does not know them yet (ECMAScript 2026).
const RAW = JSON as unknown as { rawJSON(source: string): object; isRawJSON(value: unknown): boolean };

/** A number as JSON writes it, read as a double, is the same number. */
export function isExactNumber(source: string): boolean {
  const value = Number(source);
  if (Number.isSafeInteger(value) && !/[.eE]/.test(source)) return true;
  if (!Number.isFinite(value)) return false;
  // Whole numbers are exact by their digits, those that a program of JavaScript wrote among them.
  if (!/[.eE]/.test(source)) return String(value) === source;
  const digits = digitsOf(source);
  // Seventeen digits tell every double from its neighbours. A number so small that it would be 0 is another.
  return (digits.length <= 17 && (value !== 0 || digits === '')) || digits === digitsOf(String(value));
}

/** Those that count: of `-0.0120e5` `12`. */
function digitsOf(source: string): string {
  return withoutEnds(source.replace(/[eE].*$/, '').replaceAll(/\D/g, ''), '0');
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

// Safe: TypeScript's library does not know the third argument of a reviver yet (ECMAScript 2026).
function parseWithSources(text: string, reviver: Reviver): unknown {
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
}
