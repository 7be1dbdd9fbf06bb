// A secret in the ways that programs write it: as it is, escaped for addresses, JSON or HTML, in hexadecimal,
// in base64 at any offset.

/**
 * A way to write it, and a piece of text that is in each of its matches: looking for that first takes next to
 * nothing.
 */
interface Way {
  sign: string;
  pattern: RegExp;
}

/** Where in a text it may be, and how long its longest way is. */
export interface Needle {
  ways: readonly Way[];
  longest: number;
  /** It may reach over the end of a line. */
  overLines: boolean;
}

/** A shorter one is like ordinary text: hiding it would spoil answers, and everybody could guess it. */
export const SHORTEST_SECRET = 6;
/** A longer one is searched for in pieces: engines have bounds on patterns. */
const PIECE = 512;

/** Of one character: four bytes, each percent-encoded three times. */
const LONGEST_WAY = 28;

const NAMED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** Patterns over bytes read as Latin-1, as Node gives headers. */
export function needlesOf(secret: string): Needle[] {
  const points = Array.from(secret);
  if (points.length < SHORTEST_SECRET) return [];
  const pieces: Needle[] = [];
  const count = Math.ceil(points.length / PIECE);
  const length = Math.ceil(points.length / count);
  for (let at = 0; at < points.length; at += length) pieces.push(needleOf(points.slice(at, at + length)));
  return pieces;
}

function needleOf(points: readonly string[]): Needle {
  const text = points.join('');
  const bytes = Buffer.from(text);
  const hex = Array.from(bytes, hexOf);
  const everyUnit = points.flatMap((point) => units(point).map((unit) => String.raw`\\{1,2}u${fold(unit)}`));
  const way = (sign: string, source: string): Way => ({ sign, pattern: new RegExp(source, 'g') });
  const ways = [
    way(longestRun(text), points.map(mixed).join('')),
    way('%', hex.map((one) => `%(?:25){0,2}${fold(one)}`).join('')),
    way(String.raw`\u`, everyUnit.join('')),
    way(String.raw`\x`, hex.map((one) => String.raw`\\{1,2}x${fold(one)}`).join('')),
    way('&#', points.map((point) => `&#(?:0{0,4}${codeOf(point)}|[xX]0{0,4}${fold(codeOf(point).toString(16))});`).join('')),
    ...[hex.join(''), hex.join('').toUpperCase()].map((one) => way(one, one)),
    ...[0, 1, 2].map((offset) => base64Of(bytes, offset)).map((one) => way(longestRun(one), base64Pattern(one))),
  ];
  return { ways, longest: points.length * LONGEST_WAY, overLines: /[\r\n]/.test(text) };
}

/** Stands in every way of writing the text that leaves letters and digits as they are. */
function longestRun(text: string): string {
  return (text.match(/[A-Za-z0-9]+/g) ?? []).reduce((best, run) => (run.length > best.length ? run : best), '');
}

/** Letters and digits are seldom escaped among others; every other character may be, each in its own way. */
function mixed(point: string): string {
  if (/^[A-Za-z0-9]$/.test(point)) return point;
  const bytes = Buffer.from(point);
  const code = codeOf(point);
  return `(?:${[
    literal(bytes.toString('latin1')),
    ...(code < 256 ? [literal(point)] : []),
    Array.from(bytes, (byte) => `%(?:25){0,2}${fold(hexOf(byte))}`).join(''),
    units(point)
      .map((unit) => String.raw`\\{1,4}u${fold(unit)}`)
      .join(''),
    String.raw`\\{1,4}x${fold(hexOf(code & 255))}`,
    `&#(?:0{0,4}${code}|[xX]0{0,4}${fold(code.toString(16))});`,
    ...(NAMED[point] === undefined ? [] : [NAMED[point], `&amp;${NAMED[point].slice(1)}`]),
    ...(/^["'\\/]$/.test(point) ? [String.raw`\\{1,4}${literal(point)}`] : []),
    ...(point === ' ' ? [String.raw`\+`] : []),
  ].join('|')})`;
}

/** The characters that only these bytes decide, whichever stand before and after them. */
function base64Of(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

function base64Pattern(text: string): string {
  return text.replaceAll('+', '(?:[+-]|%2[bB])').replaceAll('/', String.raw`(?:\\?/|_|%2[fF])`);
}

const codeOf = (point: string): number => point.codePointAt(0) ?? 0;
const hexOf = (byte: number): string => byte.toString(16).padStart(2, '0');
const fold = (hex: string): string => hex.replaceAll(/[a-f]/g, (one) => `[${one}${one.toUpperCase()}]`);
const units = (point: string): string[] => Array.from({ length: point.length }, (_, n) => point.charCodeAt(n).toString(16).padStart(4, '0'));
const literal = (text: string): string => text.replaceAll(/[^A-Za-z0-9]/g, (one) => `\\x${hexOf(one.charCodeAt(0))}`);
