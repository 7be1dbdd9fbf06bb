// The models of a card, made from its JSON Schemas: what a TypeScript agent has in zod, an agent in another language has only there.
import { z } from 'zod';
import type { SkillCard } from '../../../contract/wire/card.ts';
import { NoAuth } from '../authoring/auth.ts';
import type { InputModel, JsonSchema, OutputModel } from '../authoring/schema.ts';
import { WorkerFailed } from './errors.ts';

/** Formats whose check zod has; a pattern beside them says the same again, and would be told twice. */
const KNOWN_FORMATS = new Set(['date-time', 'date', 'time', 'duration', 'email', 'uuid', 'uri', 'ipv4', 'ipv6']);

/** Closed, as the TypeScript agent's. @throws WorkerFailed */
export function inputModel(card: SkillCard): InputModel {
  const model = convert(card.input_schema, `the input schema of "${card.id}"`);
  if (!(model instanceof z.ZodObject)) throw new WorkerFailed(`the input schema of "${card.id}" must be of type "object"`);
  return model.strict();
}

/** Undefined where the card allows anything. */
export function outputModel(card: SkillCard): OutputModel | undefined {
  if (Object.keys(card.output_schema).length === 0) return undefined;
  return convert(card.output_schema, `the output schema of "${card.id}"`);
}

/** {} is NoAuth. */
export function authModel(schema: JsonSchema): InputModel {
  if (Object.keys(schema).length === 0) return NoAuth;
  const model = convert(schema, 'the auth model');
  if (!(model instanceof z.ZodObject)) throw new WorkerFailed('the auth model must be of type "object"');
  return model;
}

function convert(schema: JsonSchema, what: string): z.ZodType {
  const plain = withoutDoubled(schema);
  const failure = attempt(plain);
  if (failure instanceof z.ZodType) return failure;
  // What zod cannot say (`not`, conditions …) is left to the worker, which checks everything again; the rest stays enforced here.
  const properties = plain['properties'];
  if (plain['type'] !== 'object' || !isObject(properties)) throw new WorkerFailed(`${what} cannot be used: ${failure.message}`);
  const kept = Object.entries(properties).map(([name, member]) => {
    const alone = attempt({ type: 'object', properties: { [name]: member }, $defs: plain['$defs'] ?? {} });
    return [name, alone instanceof z.ZodType ? member : withoutRules(member)];
  });
  const rest = attempt({ ...plain, properties: Object.fromEntries(kept) });
  if (rest instanceof z.ZodType) return rest;
  throw new WorkerFailed(`${what} cannot be used: ${rest.message}`);
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
