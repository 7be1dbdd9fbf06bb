// Which skill a message means, and with what arguments.
import { ContentTypeNotSupportedError, RequestMalformedError } from '@a2a-js/sdk/errors';
import { Message as MessageCodec, type Message, type Part, type SendMessageRequest } from '@a2a-js/sdk';
import type { AgentCard, SkillCard } from '../../../../contract/wire/card.ts';
import { ON_EMAIL } from '../../../../contract/wire/mail.ts';
import { bareType } from '../../../../contract/wire/media-type.ts';
import { takesMessage } from '../../authoring/task-message.ts';

export interface Wanted {
  skill: string;
  args: unknown;
}

/** The message does not say which skill: its sender is asked. */
export interface Open {
  said: { text: string } | { args: unknown };
}

/**
 * A data part `{skill, args}` says both. `metadata.skill` names the skill; then the data part is its
 * arguments. Text is `@skill {json}`, or, where one skill takes a single string, that string. A skill that
 * takes messages gets them as they are.
 * @throws RequestMalformedError, ContentTypeNotSupportedError
 */
export function wantedBy(all: AgentCard, request: SendMessageRequest & { message: Message }): Wanted | Open {
  const card = { ...all, skills: offered(all) };
  const { message } = request;
  const data = message.parts.flatMap(({ content }) => (content?.$case === 'data' ? [content.value as unknown] : []));
  const text = textOf(message);
  const named = nameIn(message.metadata) ?? nameIn(request.metadata);
  const explicit = named ?? (isRecord(data[0]) ? nameIn(data[0]) : undefined) ?? ADDRESSED.exec(text)?.[1];
  const whole = explicit === undefined ? soleOf(card, takesMessage) : card.skills.find(({ id, input_schema }) => id === explicit && takesMessage(input_schema));
  checkTypes(card, message, whole !== undefined);
  if (whole) return { skill: whole.id, args: MessageCodec.toJSON(message) };
  if (data.length > 1) throw malformed(card, 'send one data part');
  const [value] = data;
  if (named !== undefined) return { skill: named, args: data.length > 0 ? argsOf(value) : fromText(card, named, text) };
  if (data.length > 0) {
    const skill = isRecord(value) && typeof value['skill'] === 'string' ? value['skill'] : undefined;
    if (skill !== undefined && isRecord(value)) return { skill, args: value['args'] ?? {} };
    if (card.skills[0] && card.skills.length === 1) return { skill: card.skills[0].id, args: value };
    return { said: { args: value } };
  }
  const addressed = ADDRESSED.exec(text);
  if (addressed?.[1] !== undefined) return { skill: addressed[1], args: fromText(card, addressed[1], addressed[2]?.trim() ?? '') };
  if (text.trim() === '') throw malformed(card, 'the message has neither text nor data');
  const only = soleOf(card, (schema) => soleText(schema) !== undefined);
  return only ? { skill: only.id, args: fromText(card, only.id, text) } : { said: { text } };
}

/** The skills that a message without a skill name may mean. Only mail calls on_email. */
export function offered({ skills }: AgentCard): AgentCard['skills'] {
  const others = skills.filter(({ id }) => id !== ON_EMAIL);
  return others.length === 0 ? skills : others;
}

const ADDRESSED = /^\s*@([A-Za-z][\w-]{0,63})(?:\s+([\s\S]*))?$/;

function textOf(message: Message): string {
  return message.parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join('\n');
}

/**
 * What a message answers a question with: its text, or its data as JSON. @param schema of a question that is
 * a form: the data is the form itself
 */
export function answerIn(message: Message, schema: Readonly<Record<string, unknown>> | undefined): string | undefined {
  if (schema && takesMessage(schema)) return JSON.stringify(MessageCodec.toJSON(message));
  const [value] = message.parts.flatMap(({ content }) => (content?.$case === 'data' ? [content.value as unknown] : []));
  if (schema && value !== undefined) return JSON.stringify(value);
  const text = textOf(message);
  const field = schema && soleText(schema);
  // A form of one text: words are its answer.
  if (field !== undefined && text !== '' && parsed(text) === undefined) return JSON.stringify({ [field]: text.trim() });
  if (text !== '') return text;
  if (value === undefined) return undefined;
  const answer = isRecord(value) ? value['answer'] : value;
  return typeof answer === 'string' ? answer : JSON.stringify(answer ?? value);
}

/** Files go to skills that take messages; all others take text and JSON. */
function checkTypes(card: AgentCard, message: Message, files: boolean): void {
  const accepted = card.input_modes.length > 0 ? card.input_modes : DEFAULT_MODES;
  for (const part of message.parts) {
    const kind = part.content?.$case;
    const type = bareType(part.mediaType).toLowerCase();
    const isFile = kind === 'raw' || kind === 'url';
    if (isFile ? files && (type === '' || accepted.some((mode) => matches(mode, type))) : fits(part, type)) continue;
    const what = isFile ? `a file of type ${type || 'unknown'}` : `${kind ?? 'a part'} of type ${type}`;
    throw new ContentTypeNotSupportedError(`this agent does not take ${what}; it takes ${accepted.join(', ')}`);
  }
}

const DEFAULT_MODES = ['application/json', 'text/plain'];

/** Text is read as text whatever kind of text it is; data is JSON. */
function fits({ content }: Part, type: string): boolean {
  if (type === '') return true;
  return content?.$case === 'data' ? /^application\/(?:[\w.-]+\+)?json$/.test(type) : type.startsWith('text/') || type === 'application/json';
}

function matches(mode: string, type: string): boolean {
  const wanted = mode.toLowerCase();
  return wanted === '*/*' || wanted === type || (wanted.endsWith('/*') && type.startsWith(wanted.slice(0, -1)));
}

function fromText(card: AgentCard, skillId: string, text: string): unknown {
  const skill = card.skills.find(({ id }) => id === skillId);
  const name = skill && soleText(skill.input_schema);
  if (text === '') return {};
  const json = parsed(text);
  if (json !== undefined) return json;
  if (name !== undefined) return { [name]: text };
  throw malformed(card, `"${skillId}" takes its arguments as JSON: "@${skillId} {…}"`);
}

function soleOf(card: AgentCard, fits: (schema: SkillCard['input_schema']) => boolean): SkillCard | undefined {
  const fitting = card.skills.filter((skill) => fits(skill.input_schema));
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** The name of the parameter, where a single string is enough to call the skill. */
export function soleText(schema: Readonly<Record<string, unknown>>): string | undefined {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const names = required.length > 0 ? required : Object.keys(properties);
  const [name] = names;
  if (names.length !== 1 || typeof name !== 'string') return undefined;
  const property = properties[name];
  return isRecord(property) && property['type'] === 'string' ? name : undefined;
}

function argsOf(value: unknown): unknown {
  return isRecord(value) && isRecord(value['args']) && Object.keys(value).every((key) => key === 'args' || key === 'skill') ? value['args'] : value;
}

function nameIn(metadata: Record<string, unknown> | undefined): string | undefined {
  const skill = metadata?.['skill'];
  return typeof skill === 'string' ? skill : undefined;
}

function parsed(text: string): Record<string, unknown> | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function malformed(card: AgentCard, message: string): RequestMalformedError {
  return new RequestMalformedError(`${message}. Skills: ${card.skills.map(({ id }) => id).join(', ')}`);
}
