// Arguments of a call from the command line: key=value pairs read by the skill's own schema, or JSON as a
// whole.
import { withoutMark } from '#contract/wire/byte-order-mark.ts';
import { NumberOutOfRange, parseExact } from '#contract/wire/exact-json.ts';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import type { Api } from '../lib/api.ts';
import { UsageError } from '../lib/errors.ts';

export type Arguments = Record<string, unknown>;

export interface CallWords {
  agent: string;
  tool: string;
  pairs: readonly string[];
  /** Instead of pairs. */
  json: string | undefined;
  stdin: Readable;
}

/** Of a call as it stands on the command line. @throws UsageError */
export async function callArguments(client: Api, { agent, tool, pairs, json, stdin }: CallWords): Promise<Arguments> {
  if (json !== undefined && pairs.length > 0) throw new UsageError('Give the arguments as key=value pairs or with --json, not both.');
  const read = inputReader(stdin);
  if (json !== undefined) return await jsonArguments(json, read);
  const card = async () => (await client.agents.get({ params: { name: agent } })).card;
  return await pairArguments(pairs, read, async () => (await card())?.skills.find((skill) => skill.id === tool)?.input_schema);
}

/** A member's schema as far as it tells how to read text. */
interface MemberSchema {
  type?: unknown;
  anyOf?: unknown;
  oneOf?: unknown;
}

/** `@file` and `@-` (standard input, once) stand for what is in them. */
export function inputReader(stdin: Readable): (value: string) => Promise<string> {
  let used = false;
  return async (value) => {
    if (!value.startsWith('@')) return value;
    if (value !== '@-')
      return readFile(value.slice(1), 'utf8').catch(() => {
        throw new UsageError(`${value.slice(1)} cannot be read.`);
      });
    if (used) throw new UsageError('Standard input (@-) can be used once.');
    used = true;
    return text(stdin);
  };
}

const JSON_WANTED = '--json must be a JSON object with the arguments by name, e.g. --json \'{"name":"Ada"}\'.';

/** `--json`: inline, `@file` or `@-`. */
export async function jsonArguments(value: string, read: (value: string) => Promise<string>): Promise<Arguments> {
  const content = withoutMark(await read(value));
  const parsed = parse(content);
  if (!isObject(parsed)) throw new UsageError(JSON_WANTED);
  return parsed;
}

/** `key=value …`; `schema` is asked for only when a value could be read in two ways. */
export async function pairArguments(pairs: readonly string[], read: (value: string) => Promise<string>, schema: () => Promise<unknown>): Promise<Arguments> {
  const values: [string, string][] = [];
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageError(`"${pair}" is not key=value. For JSON use --json.`);
    values.push([pair.slice(0, at), withoutMark(await read(pair.slice(at + 1)))]);
  }
  const twice = values.find(([key], i) => values.findIndex(([other]) => other === key) !== i);
  if (twice) throw new UsageError(`"${twice[0]}" is given twice.`);
  const members = values.some(([, value]) => looksLikeJson(value)) ? membersOf(await schema()) : {};
  return Object.fromEntries(values.map(([key, value]) => [key, typed(value, members[key])]));
}

/** Text stays text where the schema wants text; what looks like JSON is read as JSON elsewhere. */
function typed(value: string, schema: MemberSchema | undefined): unknown {
  if (!looksLikeJson(value)) return value;
  const types = typesOf(schema);
  const parsed = parse(value);
  if (parsed === undefined) return value;
  if (types.length === 0) return parsed;
  const fits = types.includes(typeOf(parsed)) || (typeof parsed === 'number' && types.includes('number'));
  return fits ? parsed : types.includes('string') ? value : parsed;
}

function typesOf(schema: MemberSchema | undefined): string[] {
  if (!schema) return [];
  const own = [schema.type].flat().filter((type) => typeof type === 'string');
  const branches = [schema.anyOf, schema.oneOf].flat().filter(isObject);
  return [...own, ...branches.flatMap((branch) => typesOf(branch))];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function membersOf(schema: unknown): Record<string, MemberSchema> {
  if (!isObject(schema) || !isObject(schema.properties)) return {};
  return Object.fromEntries(Object.entries(schema.properties).filter((entry): entry is [string, Record<string, unknown>] => isObject(entry[1])));
}

function looksLikeJson(value: string): boolean {
  return /^\s*(?:-?\d|[[{"]|true\s*$|false\s*$|null\s*$)/.test(value);
}

function parse(value: string): unknown {
  try {
    return parseExact(value);
  } catch (error) {
    if (error instanceof NumberOutOfRange) throw new UsageError(`${error.message}.`);
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
