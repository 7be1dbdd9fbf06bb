// The flags of one tool: made from its input schema, read back into its arguments.
import type { SkillCard } from '#contract/wire/card.ts';
import { fieldsOf, hintOf, readText, type Field } from '../ask/field.ts';
import { UsageError } from '../lib/errors.ts';
import { didYouMean } from '#contract/wire/nearest.ts';

/** Options of `svc call` that a tool's command takes, too: true where a value follows. */
export const CALL_OPTIONS: Readonly<Record<string, boolean>> = {
  '--json': true,
  '--api': true,
  '--idempotency-key': true,
  '--detach': false,
  '--durable': false,
  '--events': false,
  '--no-input': false,
};

export interface Flag {
  /** `--max-words` */
  name: string;
  field: Field;
}

export function flagsOf(skill: Pick<SkillCard, 'input_schema'>): Flag[] {
  return (fieldsOf(skill.input_schema) ?? []).map((field) => ({ name: flagName(field.name), field })).filter(({ name }) => !(name in CALL_OPTIONS));
}

export interface Given {
  /** By name; undefined: given as a whole with --json. */
  args: Record<string, unknown> | undefined;
  /** Options of the call itself. */
  options: string[];
}

/** Reads `--flag value`, `--flag=value`, `--flag`, `--no-flag`. @throws UsageError */
export async function readFlags(flags: readonly Flag[], words: readonly string[], read: (value: string) => Promise<string>): Promise<Given> {
  const [texts, options] = [new Map<Flag, string[]>(), new Array<string>()];
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const { name, value } = split(word);
    const takesValue = CALL_OPTIONS[name];
    if (takesValue !== undefined) {
      options.push(name, ...(takesValue ? [value ?? next(rest, name)] : []));
      continue;
    }
    const { flag, text } = flagOf(flags, name, value, rest);
    texts.set(flag, [...(texts.get(flag) ?? []), await read(text)]);
  }
  if (!options.includes('--json')) return { args: argumentsOf(flags, texts), options };
  if (texts.size > 0) throw new UsageError('Give the arguments as flags or with --json, not both.');
  return { args: undefined, options };
}

function flagOf(flags: readonly Flag[], name: string, value: string | undefined, rest: string[]): { flag: Flag; text: string } {
  const flag = flags.find((one) => one.name === name || `--${one.field.name}` === name);
  if (flag?.field.kind === 'boolean' && !flag.field.choices) return { flag, text: value ?? 'true' };
  if (flag) return { flag, text: value ?? next(rest, name) };
  const positive = flags.find((one) => one.field.kind === 'boolean' && one.name.replace('--', '--no-') === name);
  if (positive && value === undefined) return { flag: positive, text: 'false' };
  if (!name.startsWith('-')) throw new UsageError(`"${name}" is not a flag: give each argument by its name, as in ${flags[0]?.name ?? '--json'} VALUE.`);
  throw new UsageError(
    `There is no ${name}.${didYouMean(
      name,
      flags.map((one) => one.name),
    )}`,
  );
}

function argumentsOf(flags: readonly Flag[], texts: ReadonlyMap<Flag, readonly string[]>): Record<string, unknown> {
  const missing = flags.filter((flag) => flag.field.required && !texts.has(flag));
  if (missing.length > 0) throw new UsageError(missing.map(({ name, field }) => `${name} is required (${hintOf(field)}).`).join('\n'));
  return Object.fromEntries([...texts].map(([flag, given]) => [flag.field.name, valueOf(flag, given)]));
}

function valueOf({ name, field }: Flag, texts: readonly string[]): unknown {
  const { items, kind } = field;
  // Given several times, each is one of the list.
  if (kind === 'list' && items && texts.length > 1) return texts.map((text) => valueOf({ name, field: items }, [text]));
  if (texts.length > 1) throw new UsageError(`${name} is given twice.`);
  const result = readText(field, texts[0] ?? '');
  if ('problem' in result) throw new UsageError(`${name}: ${result.problem}`);
  return result.value;
}

function split(word: string): { name: string; value: string | undefined } {
  const at = word.startsWith('--') ? word.indexOf('=') : -1;
  return at < 0 ? { name: word, value: undefined } : { name: word.slice(0, at), value: word.slice(at + 1) };
}

function next(rest: string[], name: string): string {
  const value = rest.shift();
  if (value === undefined) throw new UsageError(`${name} needs a value.`);
  return value;
}

function flagName(property: string): string {
  return `--${property.replaceAll('_', '-')}`;
}
