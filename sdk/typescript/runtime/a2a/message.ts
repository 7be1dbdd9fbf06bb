// Which skill a message means, and with what arguments.
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import type { Message, SendMessageRequest } from '@a2a-js/sdk';
import type { AgentCard, SkillCard } from '../../../../contract/wire/card.ts';

export interface Wanted {
  skill: string;
  args: unknown;
}

/**
 * A data part `{skill, args}` says both. `metadata.skill` names the skill; then the data part is its arguments. Text is `@skill {json}`, or, where
 * one skill takes a single string, that string. @throws RequestMalformedError naming the skills there are
 */
export function wantedBy(card: AgentCard, request: SendMessageRequest & { message: Message }): Wanted {
  const { message } = request;
  const data = message.parts.flatMap(({ content }) => (content?.$case === 'data' ? [content.value as unknown] : []));
  const text = textOf(message);
  if (data.length > 1) throw malformed(card, 'send one data part');
  const named = nameIn(message.metadata) ?? nameIn(request.metadata);
  const [value] = data;
  if (named !== undefined) return { skill: named, args: data.length > 0 ? argsOf(value) : fromText(card, named, text) };
  if (data.length > 0) {
    const skill = isRecord(value) && typeof value['skill'] === 'string' ? value['skill'] : undefined;
    if (skill !== undefined && isRecord(value)) return { skill, args: value['args'] ?? {} };
    if (card.skills[0] && card.skills.length === 1) return { skill: card.skills[0].id, args: value };
    throw malformed(card, 'the data part does not say which skill: send {"skill": …, "args": {…}}');
  }
  const addressed = /^\s*@([A-Za-z][\w-]{0,63})(?:\s+([\s\S]*))?$/.exec(text);
  if (addressed?.[1] !== undefined) return { skill: addressed[1], args: fromText(card, addressed[1], addressed[2]?.trim() ?? '') };
  const plain = card.skills.filter((skill) => soleText(skill) !== undefined);
  const [only] = plain;
  if (plain.length === 1 && only && text !== '') return { skill: only.id, args: fromText(card, only.id, text) };
  throw malformed(
    card,
    text === ''
      ? 'the message has neither text nor data'
      : 'this text does not say which skill: send "@skill {json}", or a data part {"skill": …, "args": {…}}',
  );
}

export function textOf(message: Message): string {
  return message.parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join('\n');
}

/** What a message answers a question with: its text, or its data as JSON. @param form the data is the form itself */
export function answerIn(message: Message, form: boolean): string | undefined {
  const [value] = message.parts.flatMap(({ content }) => (content?.$case === 'data' ? [content.value as unknown] : []));
  if (form && value !== undefined) return JSON.stringify(value);
  const text = textOf(message);
  if (text !== '') return text;
  if (value === undefined) return undefined;
  const answer = isRecord(value) ? value['answer'] : value;
  return typeof answer === 'string' ? answer : JSON.stringify(answer ?? value);
}

function fromText(card: AgentCard, skillId: string, text: string): unknown {
  const skill = card.skills.find(({ id }) => id === skillId);
  const name = skill && soleText(skill);
  if (text === '') return {};
  const json = parsed(text);
  if (json !== undefined) return json;
  if (name !== undefined) return { [name]: text };
  throw malformed(card, `"${skillId}" takes its arguments as JSON: "@${skillId} {…}"`);
}

/** The name of the parameter, where a string alone is enough to call the skill. */
function soleText({ input_schema: schema }: SkillCard): string | undefined {
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
  if (!text.startsWith('{')) return undefined;
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
