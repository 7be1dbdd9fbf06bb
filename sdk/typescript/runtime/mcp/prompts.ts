// Skills as prompts: a person picks one, fills in what the skill takes, and the model is asked to call the
// tool with it. What is left empty is as the author's example has it. Completion offers what the schema
// names.
import {
  ProtocolError,
  ProtocolErrorCode,
  type GetPromptResult,
  type InputRequiredResult,
  type Prompt,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Contents } from './contents.ts';
import { refuseCursor } from './cursor.ts';
import { sendOn, type Send } from './elicit.ts';
import type { FillIn } from './prompt-form.ts';
import type { Resources } from './resources.ts';
import type { SkillCard } from '../../../../contract/wire/card.ts';

/** The protocol's own limit. */
const MAX_VALUES = 100;
/** Of one prompt. */
const MAX_SHOWN = 4;

type Schema = Readonly<Record<string, unknown>>;

export function servePrompts(
  server: Server,
  skills: readonly SkillCard[],
  ttlMs: number,
  { resources, fillIn }: { resources: Pick<Resources, 'read' | 'complete'>; fillIn: FillIn },
): void {
  const prompts = skills.map(toPrompt);
  server.setRequestHandler('prompts/list', ({ params }) => {
    refuseCursor(params);
    return { prompts, ttlMs, cacheScope: 'private' as const };
  });
  server.setRequestHandler('prompts/get', ({ params }, context) => {
    const asking = { fillIn, context, send: sendOn(server, context) };
    return promptOf(skillOf(skills, params.name), params.arguments ?? {}, { resources, ...asking });
  });
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => {
    const values = ref.type === 'ref/prompt' ? named(skills, ref.name, argument) : await resources.complete(ref.uri, argument.name, argument.value);
    return { completion: { values: values.slice(0, MAX_VALUES), total: values.length, hasMore: values.length > MAX_VALUES } };
  });
}

function named(skills: readonly SkillCard[], prompt: string, { name, value: begun }: { name: string; value: string }): string[] {
  const schema = fieldsOf(skillOf(skills, prompt)).get(name);
  return known(schema ?? {}).filter((value) => value.toLowerCase().startsWith(begun.toLowerCase()));
}

function toPrompt(skill: SkillCard): Prompt {
  const example = exampleOf(skill);
  const fields = [...fieldsOf(skill)].map(([name, schema]) => {
    const { title, description } = schema;
    const shown = example[name] === undefined ? '' : `Example: ${textOf(example[name])}`;
    const about = [description, shown].filter((part) => typeof part === 'string' && part !== '').join(' ');
    return {
      name,
      ...(typeof title === 'string' && { title }),
      ...(about !== '' && { description: about }),
      required: requiredOf(skill).includes(name) && example[name] === undefined,
    };
  });
  return { name: skill.id, ...(skill.name !== skill.id && { title: skill.name }), description: skill.description, arguments: fields };
}

/** @throws ProtocolError naming the argument that is missing, unknown or of another type */
async function promptOf(
  skill: SkillCard,
  given: Readonly<Record<string, string>>,
  { resources, fillIn, context, send }: { resources: Pick<Resources, 'read'>; fillIn: FillIn; context: ServerContext; send: Send },
): Promise<GetPromptResult | InputRequiredResult> {
  const fields = fieldsOf(skill);
  const unknown = Object.keys(given).find((name) => !fields.has(name));
  if (unknown !== undefined) throw refusal(`"${skill.id}" takes no argument "${unknown}"; it takes ${[...fields.keys()].join(', ') || 'none'}`);
  const filled = new Map<string, unknown>(Object.entries(exampleOf(skill)).filter(([name]) => fields.has(name)));
  for (const [name, text] of Object.entries(given)) if (text !== '') filled.set(name, valueOf(name, text, fields.get(name) ?? {}));
  const missing = requiredOf(skill).filter((name) => !filled.has(name));
  if (missing.length > 0) {
    const lacking = Object.fromEntries(missing.map((name) => [name, fields.get(name) ?? {}]));
    const answered = await fillIn({ prompt: skill.id, title: skill.name, fields: lacking }, context, send);
    if (!answered) throw refusal(`the argument "${missing[0]}" is missing`);
    if (answered.kind === 'asked') return answered.result;
    for (const [name, value] of Object.entries(answered.values)) if (fields.has(name)) filled.set(name, value);
  }
  const args = JSON.stringify(Object.fromEntries(filled), null, 2);
  const text = filled.size === 0 ? `Call the tool "${skill.id}".` : `Call the tool "${skill.id}" with these arguments:\n\n${args}`;
  const shown = await shownWith(filled, fields, resources);
  return { description: skill.description, messages: [...shown, { type: 'text' as const, text }].map((content) => ({ role: 'user' as const, content })) };
}

type Content = GetPromptResult['messages'][number]['content'];

/**
 * An argument that is an address (`z.url()`) may name a resource of this agent: then the model is shown what
 * is there.
 */
async function shownWith(filled: ReadonlyMap<string, unknown>, fields: ReadonlyMap<string, Schema>, resources: Pick<Resources, 'read'>): Promise<Content[]> {
  const addresses = [...filled].flatMap(([name, value]) => (fields.get(name)?.['format'] === 'uri' && typeof value === 'string' ? [value] : []));
  const shownContents = await Promise.all([...new Set(addresses)].slice(0, MAX_SHOWN).map((uri) => resources.read(uri).catch(() => undefined)));
  return shownContents.flatMap((contents) => (contents ? [blockOf(contents)] : []));
}

function blockOf(contents: Contents): Content {
  const { mimeType = '' } = contents;
  const [type] = mimeType.split('/');
  if ('blob' in contents && (type === 'image' || type === 'audio')) return { type, data: contents.blob, mimeType };
  return { type: 'resource', resource: contents };
}

/** Prompts carry only text: what is no text in the schema is JSON. */
function valueOf(name: string, text: string, schema: Schema): unknown {
  const types = typesOf(schema);
  if (types.includes('string') || types.length === 0) return text;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refusal(`the argument "${name}" must be JSON (${types.join(' or ')})`);
  }
  if (!types.some((type) => isOf(type, value))) throw refusal(`the argument "${name}" must be JSON (${types.join(' or ')})`);
  return value;
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isRecord(value);
  return typeof value === type;
}

function typesOf(schema: Schema): string[] {
  const { type, anyOf, oneOf, enum: values } = schema;
  if (type !== undefined) return [type].flat().map(String);
  const either = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : [])).filter(isRecord);
  if (either.length > 0) return [...new Set(either.flatMap(typesOf))];
  return Array.isArray(values) && values.every((value) => typeof value === 'number') ? ['number'] : [];
}

/** The values that a schema names, as text, in its order. */
function known(schema: Schema, depth = 0): string[] {
  if (depth > 4) return [];
  const { const: only, enum: values, examples, default: usual, anyOf, oneOf } = schema;
  const either = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : [])).filter(isRecord);
  const named = [...list(values), ...(only === undefined ? [] : [only]), ...list(examples), ...(usual === undefined ? [] : [usual])];
  const flags = typesOf(schema).includes('boolean') ? [true, false] : [];
  return [...new Set([...named, ...flags].map(textOf).concat(either.flatMap((one) => known(one, depth + 1))))];
}

/** The author's own example: of all arguments, and of each one. */
function exampleOf(skill: SkillCard): Record<string, unknown> {
  const [whole] = list(skill.input_schema['examples']);
  const each = [...fieldsOf(skill)].flatMap(([name, { examples, default: usual }]) => {
    const value = list(examples)[0] ?? usual;
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(each), ...(isRecord(whole) && whole) };
}

function fieldsOf({ input_schema: { properties } }: SkillCard): Map<string, Schema> {
  return new Map(isRecord(properties) ? Object.entries(properties).map(([name, schema]) => [name, isRecord(schema) ? schema : {}]) : []);
}

function requiredOf({ input_schema: { required } }: SkillCard): string[] {
  return list(required).map(String);
}

function skillOf(skills: readonly SkillCard[], name: string): SkillCard {
  const skill = skills.find(({ id }) => id === name);
  if (!skill) throw refusal(`there is no prompt "${name}"; prompts/list has them`);
  return skill;
}

function refusal(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
