// JSON as it is typed: its value, or where it is wrong.
import { NumberOutOfRange, parseExact } from '#contract/wire/exact-json.ts';
import { brokenAt } from './json-place.ts';

export type JsonRead = { value: unknown } | { problem: string; line: number; column: number };

export function readJson(text: string): JsonRead {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: parseExact(text) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof NumberOutOfRange) return { problem: message, line: 1, column: 1 };
    return { problem: plain(message), ...lineAt(text, brokenAt(text)) };
  }
}

export function writeJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? '';
}

function lineAt(text: string, position: number): { line: number; column: number } {
  const before = text.slice(0, position).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function plain(message: string): string {
  const reason = message
    .replace(/^JSON\.parse: /, '')
    .replace(/, (?:\.\.\.)?"[\s\S]*$/, '')
    .replace(/ in JSON at position.*$| at line \d+.*$/s, '')
    .replace(/^Unexpected end of JSON input$/, 'the text ends too early');
  return reason === '' ? 'this is not JSON' : reason;
}
