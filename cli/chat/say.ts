// What is typed in a conversation with one agent: a tool of it with arguments, or words.
import { parseExact } from '#contract/wire/exact-json.ts';
import type { AgentCard, SkillCard } from '#contract/wire/card.ts';
import { fieldsOf, issuesOf, readText } from '../ask/field.ts';

export type ParsedLine =
  /** `fill`: required arguments are not there yet. */
  { is: 'call'; skill: SkillCard; args: Record<string, unknown>; fill: boolean } | { is: 'words' } | { is: 'mistake'; says: string };

/** `tool`, `tool {json}`, `tool key=value …`; of an agent with one tool that takes one text, that text. */
export function parseLine({ skills }: Pick<AgentCard, 'skills'>, text: string): ParsedLine {
  const [, first = '', rest = ''] = /^\s*(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
  const skill = skills.find(({ id }) => id === first || id.replaceAll('_', '-') === first);
  if (skill) return argumentsIn(skill, rest.trim());
  const [only, ...more] = skills;
  const field = only && more.length === 0 && !text.startsWith('@') ? textField(only) : undefined;
  return only && field !== undefined ? { is: 'call', skill: only, args: { [field]: text }, fill: false } : { is: 'words' };
}

function argumentsIn(skill: SkillCard, rest: string): ParsedLine {
  if (rest.startsWith('{')) {
    try {
      return called(skill, { ...Object(parseExact(rest)) });
    } catch (error) {
      return { is: 'mistake', says: `Not valid JSON: ${error instanceof Error ? error.message : String(error)}` };
    }
  }
  const words = splitWords(rest);
  if (words.every((word) => /^[A-Za-z_][\w-]*=/.test(word))) return pairs(skill, words);
  const field = textField(skill);
  if (field !== undefined) return called(skill, { [field]: rest });
  return {
    is: 'mistake',
    says: `Give the arguments of ${skill.id} as key=value … or {json}: ${(fieldsOf(skill.input_schema) ?? []).map(({ name }) => name).join(', ')}`,
  };
}

function pairs(skill: SkillCard, words: readonly string[]): ParsedLine {
  const fields = fieldsOf(skill.input_schema) ?? [];
  const args: Record<string, unknown> = {};
  for (const word of words) {
    const at = word.indexOf('=');
    const [name, text] = [word.slice(0, at), word.slice(at + 1)];
    const field = fields.find((one) => one.name === name);
    if (!field) return { is: 'mistake', says: `${skill.id} takes no "${name}". It takes: ${fields.map((one) => one.name).join(', ') || 'nothing'}` };
    const read = readText(field, text);
    if ('problem' in read) return { is: 'mistake', says: `${name}: ${read.problem}` };
    args[name] = read.value;
  }
  return called(skill, args);
}

function called(skill: SkillCard, args: Record<string, unknown>): ParsedLine {
  const missing = (fieldsOf(skill.input_schema) ?? []).some(({ name, required }) => required && !Object.hasOwn(args, name));
  const issues = missing ? [] : issuesOf(skill.input_schema, args);
  return issues.length > 0 ? { is: 'mistake', says: issues.join('\n') } : { is: 'call', skill, args, fill: missing };
}

/** The one required argument, where it is a text. */
function textField(skill: SkillCard): string | undefined {
  const [field, ...more] = (fieldsOf(skill.input_schema) ?? []).filter(({ required }) => required);
  return field?.kind === 'text' && !field.choices && more.length === 0 ? field.name : undefined;
}

/** As a shell takes a line apart, with " and ' around what has spaces. */
export function splitWords(text: string): string[] {
  return (text.match(/(?:[^\s"']|"(?:[^"\\]|\\.)*"|'[^']*')+/g) ?? []).map((word) =>
    word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, double?: string, single?: string) => double?.replace(/\\(.)/g, '$1') ?? single ?? ''),
  );
}
