// Checks arguments and results against the JSON Schemas of a card, for readers who have the card and not the
// code: the platform, and agents whose handlers run in another language. A schema refuses the same values,
// with the same issues, wherever it is read.
import { z } from 'zod';
import type { AgentErrorIssue } from './errors.ts';

export type JsonSchema = Record<string, unknown>;

/** Formats whose check zod has; a pattern beside them means the same and would be reported twice. */
const KNOWN_FORMATS = new Set(['date-time', 'date', 'time', 'duration', 'email', 'uuid', 'uri', 'ipv4', 'ipv6']);

/**
 * What zod cannot say of it (`not`, conditions …) is left out. @throws Error when nothing of the schema can
 * be said
 */
export function modelOf(schema: JsonSchema): z.ZodType {
  const plain = withoutDoubled(schema);
  const model = attempt(plain);
  if (model instanceof z.ZodType) return model;
  const properties = plain['properties'];
  if (plain['type'] !== 'object' || !isObject(properties)) throw model;
  const members = Object.entries(properties).map(([name, member]) => {
    const only = attempt({ type: 'object', properties: { [name]: member }, $defs: plain['$defs'] ?? {} });
    return [name, only instanceof z.ZodType ? member : withoutRules(member)];
  });
  const rest = attempt({ ...plain, properties: Object.fromEntries(members) });
  if (rest instanceof z.ZodType) return rest;
  throw rest;
}

export function issuesOf(issues: readonly z.core.$ZodIssue[]): AgentErrorIssue[] {
  return issues.flatMap(withoutNull).map(({ path, code, message }) => ({
    path: path.map((part) => (typeof part === 'symbol' ? String(part) : part)),
    code: code ?? 'invalid',
    message,
  }));
}

/**
 * JSON Schema says "X or null" as a union. A value that fails it fails X, and the issue is that of a nullable
 * X: agents whose models come from their card answer like those that have them in zod.
 */
function withoutNull(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length !== 2) return [issue];
  const branches = issue.errors.filter(([first]) => !(first?.code === 'invalid_type' && first.expected === 'null' && first.path.length === 0));
  const [only] = branches;
  if (branches.length !== 1 || !only) return [issue];
  return only.flatMap((inner) => withoutNull({ ...inner, path: [...issue.path, ...inner.path] }));
}

function attempt(schema: JsonSchema): z.ZodType | Error {
  try {
    return z.fromJSONSchema(schema);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function withoutRules(member: unknown): JsonSchema {
  return isObject(member) && 'default' in member ? { default: member['default'] } : {};
}

function withoutDoubled(schema: JsonSchema): JsonSchema {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (!isObject(value)) return value;
    const doubled = typeof value['format'] === 'string' && typeof value['pattern'] === 'string' && KNOWN_FORMATS.has(value['format']);
    return Object.fromEntries(Object.entries(value).flatMap(([key, member]) => (doubled && key === 'pattern' ? [] : [[key, walk(member)]])));
  };
  const walked = walk(schema);
  return isObject(walked) ? walked : {};
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
