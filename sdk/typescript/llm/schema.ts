// A schema of the author's: as JSON Schema for the model, and as the check of what it answers.
import { z } from 'zod';
import { modelOf } from '../../../contract/wire/arguments.ts';
import type { AgentErrorIssue } from '../../../contract/wire/errors.ts';
import { checkable, withoutSafeBounds } from '../authoring/schema.ts';
import type { StandardResult, StandardSchema } from '../authoring/llm.ts';

type JsonSchema = Record<string, unknown>;
type Checked<Output> = { value: Output } | { issues: readonly AgentErrorIssue[] };

export interface AnswerSchema<Output> {
  /** Of type object: the wires take no other. */
  schema: JsonSchema;
  check(text: string): Promise<Checked<Output>>;
}

/** Holds what is no object. */
const WRAPPER_KEY = 'value';

/** @throws TypeError for a schema that cannot be said as JSON Schema */
export function answerSchemaOf<Output>(given: StandardSchema<Output> | Readonly<Record<string, unknown>>): AnswerSchema<Output> {
  const { schema, validate } = isStandard(given) ? standard(given) : plain<Output>(given);
  const isWrapped = schema['type'] !== 'object';
  const check = async (text: string): Promise<Checked<Output>> => {
    const json = parsed(text);
    if (json === undefined) return { issues: [{ path: [], code: 'invalid_json', message: 'the answer is no JSON' }] };
    const value = isWrapped && typeof json === 'object' && json !== null && WRAPPER_KEY in json ? json[WRAPPER_KEY] : json;
    return checkedOf(await validate(value));
  };
  return { schema: isWrapped ? wrapInObject(schema) : schema, check };
}

function isStandard<Output>(given: StandardSchema<Output> | Readonly<Record<string, unknown>>): given is StandardSchema<Output> {
  return '~standard' in given && typeof given['~standard'] === 'object';
}

interface Both<Output> {
  schema: JsonSchema;
  validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
}

function standard<Output>(given: StandardSchema<Output>): Both<Output> {
  const { validate, vendor } = given['~standard'];
  const schema =
    given instanceof z.ZodType ? z.toJSONSchema(given, { io: 'input', target: 'draft-2020-12', override: withoutSafeBounds }) : standardJsonSchema(given);
  if (!schema) throw new TypeError(`ctx.llm.object: this schema of ${vendor} cannot say itself as JSON Schema: give a zod model, or a JSON Schema`);
  return { schema: bare(schema), validate: (value) => validate(value) };
}

/** Standard JSON Schema, which zod, arktype and valibot's adapter have. */
function standardJsonSchema(given: StandardSchema): object | undefined {
  const { jsonSchema } = given['~standard'] as { jsonSchema?: { input?: (options: { target: string }) => object } };
  return jsonSchema?.input?.({ target: 'draft-2020-12' });
}

function plain<Output>(schema: Readonly<Record<string, unknown>>): Both<Output> {
  const model = modelOf(checkable(bare(schema)));
  // Safe: the author says what the schema describes.
  return { schema: bare(schema), validate: (value) => model['~standard'].validate(value) as StandardResult<Output> };
}

function bare(schema: object): JsonSchema {
  const { $schema: _, '~standard': __, ...rest } = schema as JsonSchema; // a JSON object by its maker's word
  return rest;
}

function wrapInObject({ $defs, ...schema }: JsonSchema): JsonSchema {
  return { type: 'object', properties: { [WRAPPER_KEY]: schema }, required: [WRAPPER_KEY], additionalProperties: false, ...($defs !== undefined && { $defs }) };
}

function checkedOf<Output>(result: StandardResult<Output>): Checked<Output> {
  if (!result.issues) return { value: result.value };
  return {
    issues: result.issues.map(({ path = [], message }) => ({
      path: path.map((part) => (typeof part === 'object' ? part.key : part)).map((part) => (typeof part === 'symbol' ? String(part) : part)),
      code: 'invalid',
      message,
    })),
  };
}

/** Some models write a code fence around it, despite the instruction. */
function parsed(text: string): unknown {
  const [, inner = text] = /^\s*```(?:json)?\n(.*)\n```\s*$/s.exec(text) ?? [];
  try {
    return JSON.parse(inner);
  } catch {
    return undefined;
  }
}
