// What a graph takes and gives, as JSON Schema: of its state's zod schema, of its StateSchema, or of the
// names of its channels.
import { z } from '../../index.ts';
import { record } from '../report.ts';
import type { JsonSchema } from '../shared.ts';

/** What is read of a compiled StateGraph; a graph of the functional API has no builder and says nothing. */
export interface GraphSchemas {
  readonly builder?: unknown;
}

const MESSAGES = {
  type: 'array',
  description: 'A conversation.',
  items: {
    type: 'object',
    properties: { role: { type: 'string', enum: ['user', 'assistant', 'system', 'tool'] }, content: {} },
    required: ['role', 'content'],
  },
};

export function schemasOf({ builder }: GraphSchemas): { input?: JsonSchema; output?: JsonSchema } {
  const graphBuilder = record(builder);
  if (graphBuilder['_schemaDefinition'] === undefined) return {};
  const { _schemaRuntimeDefinition: state, _inputRuntimeDefinition: given, _inputDefinition: takes, _outputDefinition: gives } = graphBuilder;
  // Where the input is the whole state, LangGraph takes any part of it, and says so with a symbol.
  const isPart = typeof given === 'symbol' || given === undefined;
  const input = schemaOf(isPart ? state : given, 'input') ?? named(takes);
  const output = schemaOf(graphBuilder['_outputRuntimeDefinition'], 'output') ?? named(gives);
  return {
    input: withMessages({ ...input, ...(isPart && { required: [] }) }, takes, graphBuilder['channels']),
    output: withMessages({ ...output, required: [], additionalProperties: true }, gives, graphBuilder['channels']),
  };
}

/** Undefined where there is neither zod 4 nor a StateSchema. */
function schemaOf(definition: unknown, io: 'input' | 'output'): JsonSchema | undefined {
  const { getInputJsonSchema: takes, getJsonSchema: gives } = record(definition);
  const own = io === 'input' ? takes : gives;
  if (typeof own === 'function') return Object(own.call(definition));
  if (!isZod(definition)) return undefined;
  // A copy without zod's own additions, which are no JSON.
  const { $schema: _, ...schema } = JSON.parse(JSON.stringify(z.toJSONSchema(definition, { io, unrepresentable: 'any', target: 'draft-2020-12' })));
  return schema;
}

const isZod = (value: unknown): value is z.ZodType => typeof value === 'object' && value !== null && '_zod' in value;

function named(channels: unknown): JsonSchema {
  return { type: 'object', properties: Object.fromEntries(Object.keys(record(channels)).map((name) => [name, {}])) };
}

/** Messages are classes of LangChain's; callers write and read them as models' APIs have them. */
function withMessages(schema: JsonSchema, names: unknown, channels: unknown): JsonSchema {
  const properties = { ...record(schema['properties']) };
  for (const name of Object.keys({ ...properties, ...record(names) })) if (isMessages(record(channels)[name])) properties[name] = MESSAGES;
  return { ...schema, properties };
}

function isMessages(channel: unknown): boolean {
  const { operator } = record(channel);
  return typeof operator === 'function' && /^_?messages\w*Reducer$/i.test(operator.name);
}
