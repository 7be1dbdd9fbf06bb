// The agent's log: JSON lines on stderr, with the values of secrets blotted out.
import { inspect } from 'node:util';
import type { Log } from '../authoring/context.ts';

export interface Entry {
  /** RFC 3339. */
  at: string;
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  [field: string]: unknown;
}

export type Sink = (entry: Entry) => void;

/** Shorter values would blot out ordinary words. */
const MIN_SECRET_LENGTH = 6;

export function stderrSink(secrets: () => Readonly<Record<string, string>>): Sink {
  return (entry) => void process.stderr.write(`${asLine(entry, Object.values(secrets()))}\n`);
}

/** The entry as one line of JSON, without the values of secrets. */
export function asLine(entry: Entry, secrets: Iterable<string>): string {
  let line = JSON.stringify(entry, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  for (const secret of secrets) {
    if (secret.length >= MIN_SECRET_LENGTH) line = line.replaceAll(JSON.stringify(secret).slice(1, -1), '***');
  }
  return line;
}

/** Each line goes to both. */
export function both(one: Log, other: Log): Log {
  const write =
    (level: Entry['level']) =>
    (message: string, fields?: Record<string, unknown>): void => {
      one[level](message, fields);
      other[level](message, fields);
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

export function createLog(sink: Sink, bound: Record<string, unknown> = {}): Log {
  const write = (level: Entry['level']) => (message: string, fields?: Record<string, unknown>) =>
    sink({ ...bound, ...fields, at: new Date().toISOString(), level, message });
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

/** An error as log fields; the only place where a stack is written. */
export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  return { error: error.message, error_name: error.name, stack: error.stack, ...(error.cause !== undefined && { cause: inspect(error.cause, { depth: 2 }) }) };
}
