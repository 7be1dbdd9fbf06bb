// Params, query and body against their schemas; every issue of all three in one answer.
import { z } from 'zod';
import { spoken } from '#contract/wire/spoken.ts';
import type { Invalid } from '#core/kernel/errors.ts';
import { unfitText } from './plain-text.ts';

type Issues = Invalid['issues'];
type Text = string | string[] | undefined;
export type Decode = (values: Record<string, Text>) => Record<string, unknown>;

/**
 * URLs carry text. One rule: where the schema says number, a decimal number is decoded; where it says
 * boolean, `true` and `false`; where it says array, every occurrence is collected; all else stays the text,
 * and the schema judges it.
 */
export function urlDecoder(schema: z.core.$ZodObject): Decode {
  const members = Object.entries(schema._zod.def.shape).map(([name, member]) => [name, decoderOf(member)] as const);
  const known = new Set(members.map(([name]) => name));
  return (values) => {
    const decoded: Record<string, unknown> = {};
    for (const [name, decode] of members) if (values[name] !== undefined) decoded[name] = decode(values[name]);
    // Unknown names go through as they are, so that a strict schema can refuse them.
    for (const name of Object.keys(values)) if (!known.has(name)) decoded[name] = values[name];
    return decoded;
  };
}

function decoderOf(schema: z.core.$ZodType): (text: Exclude<Text, undefined>) => unknown {
  const def = bare(schema)._zod.def;
  if (isArray(def)) {
    const element = decoderOf(def.element);
    return (text) => [text].flat().map((one) => element(one));
  }
  if (def.type === 'number' || def.type === 'int') return (text) => (isDecimal(text) ? Number(text) : text);
  if (def.type === 'boolean') return (text) => (text === 'true' ? true : text === 'false' ? false : text);
  return (text) => text;
}

/** The schema inside optional, nullable, default, catch, readonly and pipes. */
function bare(schema: z.core.$ZodType): z.core.$ZodType {
  const def = schema._zod.def;
  if ('innerType' in def) return bare(schemaIn(def.innerType));
  return 'in' in def ? bare(schemaIn(def.in)) : schema;
}

// Safe: zod's wrapping definitions hold schemas under `innerType` and `in`.
function schemaIn(value: unknown): z.core.$ZodType {
  return value as z.core.$ZodType;
}

function isArray(def: z.core.$ZodTypeDef): def is z.core.$ZodArrayDef {
  return def.type === 'array';
}

function isDecimal(text: string | string[]): text is string {
  return typeof text === 'string' && /^-?\d{1,15}(\.\d{1,15})?$/.test(text);
}

/** Path and query of a request's target. */
export function splitTarget(url = '/'): [path: string, query: string] {
  const at = url.indexOf('?');
  return at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}

/** ASCII whose percent-encoded bytes are UTF-8. Decoders put U+FFFD for what is not, or leave it as it is. */
export function isEncodedText(text: string): boolean {
  if (!text.includes('%')) return /^[\x21-\x7e]*$/.test(text);
  try {
    decodeURIComponent(text);
    return /^[\x21-\x7e]*$/.test(text);
  } catch {
    return false;
  }
}

/** The parsed value; on failure undefined, its issues added under `place`. */
export function check(schema: z.core.$ZodType, value: unknown, place: 'params' | 'query' | 'headers' | 'body', issues: Issues): unknown {
  const unfit = unfitText(value);
  if (unfit.length > 0) return void issues.push(...unfit.map(({ path, message }) => ({ path: [place, ...path], message })));
  const result = z.core.safeParse(schema, value);
  if (result.success) return result.data;
  for (const issue of result.error.issues) issues.push({ path: [place, ...issue.path.map(step)], message: spoken(issue.message) });
  return undefined;
}

function step(key: PropertyKey): string | number {
  return typeof key === 'symbol' ? key.toString() : key;
}
