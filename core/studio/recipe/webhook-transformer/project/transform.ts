// A record from a payload: each field is read from a place of the payload and made the type that it should
// have.
import type { WebhookTarget } from './deliver.ts';

export interface Field {
  /** Name in the record. */
  to: string;
  /** Place in the payload: names and numbers of list items with dots between, `issue.labels.0.name`. */
  from: string;
  as: 'text' | 'number' | 'boolean' | 'json';
  required: boolean;
}

export interface Settings {
  fields: readonly Field[];
  webhook: WebhookTarget | null;
}

export interface Problem {
  path: string[];
  message: string;
}

const MAX_TEXT = 10_000;

/** Problems are said all at once; the record has what could be read. */
export function transformed(payload: unknown, fields: readonly Field[]): { record: Record<string, unknown>; problems: Problem[] } {
  const problems: Problem[] = [];
  const entries = fields.flatMap(({ to, from, as, required }): [string, unknown][] => {
    const found = valueAt(payload, from);
    if (found === undefined || found === null) {
      if (required) problems.push({ path: ['payload', ...from.split('.')], message: `is missing: ${to} is read from it` });
      return [];
    }
    const value = valueAs(found, as);
    if (value !== undefined) return [[to, value]];
    problems.push({ path: ['payload', ...from.split('.')], message: `is no ${as}: ${to} is read from it` });
    return [];
  });
  return { record: Object.fromEntries(entries), problems };
}

/** Only own members: `constructor` and the like do not exist. */
export function valueAt(value: unknown, place: string): unknown {
  return place.split('.').reduce<unknown>((at, name) => {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    return Reflect.get(at, name);
  }, value);
}

/** Undefined: it cannot be read so. */
function valueAs(value: unknown, as: Field['as']): unknown {
  if (as === 'json') return value;
  if (as === 'text') return typeof value === 'object' ? undefined : String(value).slice(0, MAX_TEXT);
  if (as === 'boolean') return typeof value === 'boolean' ? value : { true: true, false: false }[String(value).toLowerCase()];
  if (typeof value === 'string' && value.trim() === '') return undefined;
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** One line a field, for people. */
export function textOf(record: Readonly<Record<string, unknown>>): string {
  return Object.entries(record)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}
