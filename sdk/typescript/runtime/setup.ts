// What a caller set for this agent, as ctx.setup shows it: the platform's word with the call, else the
// author's own values and the defaults.
import { type AgentCard, setupProblem } from '../../../contract/wire/card.ts';

type SetupValue = string | number | boolean;
export type Setup = Readonly<Record<string, SetupValue>>;

type Fields = AgentCard['consumer_setup'];

const NOTHING: Setup = Object.freeze({});

/** The header's JSON; undefined when it is none. */
export function readSetup(header: string | string[] | undefined): Setup | undefined {
  if (typeof header !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(header);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, SetupValue] => isValue(entry[1])));
  } catch {
    return undefined;
  }
}

/**
 * `given`: what came with the call, or is set on this machine. A value that does not fit its field is none.
 */
export function setupOf(fields: Fields, given: Setup | undefined): Setup {
  if (!fields || fields.length === 0) return NOTHING;
  const entries = fields.flatMap(({ name, type, inject, default: fallback }) => {
    const value = given && Object.hasOwn(given, name) ? given[name] : undefined;
    // The value is set, and the skill does not need to see it: fetchWithSetup adds it to requests.
    if (inject) return value === undefined || value === false ? [] : [[name, true] as const];
    const fits = value !== undefined && setupProblem(type, value) === undefined ? value : fallback;
    return fits === undefined ? [] : [[name, fits] as const];
  });
  return Object.freeze(Object.fromEntries(entries));
}

/** On the author's machine: environment variables by the fields' names, as they are or in capitals. */
export function setupFromEnvironment(fields: Fields, env: Readonly<Record<string, string | undefined>>): Setup {
  const entries = (fields ?? []).flatMap(({ name, type }) => {
    const text = env[name] ?? env[name.toUpperCase()];
    return text === undefined || text === '' ? [] : [[name, typed(type, text)] as const];
  });
  return Object.fromEntries(entries);
}

function typed(type: 'string' | 'number' | 'boolean' | 'url', text: string): SetupValue {
  if (type === 'number') return Number(text);
  return type === 'boolean' && (text === 'true' || text === 'false') ? text === 'true' : text;
}

function isValue(value: unknown): value is SetupValue {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
