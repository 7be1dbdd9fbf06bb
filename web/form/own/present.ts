// A form of the platform's own: the body schema of its route with the labels, hints and kinds of its fields.
// It checks what it checked before; only how it is drawn changes.
import { humanized } from '#contract/wire/wording.ts';
import { isObject, type JsonSchema, listOf, memberOf, resolve, textOf } from '../schema.ts';
import { capitalized, inWords } from '../../kit/in-words.ts';
import { COMMON } from './common.ts';
import { FORMS } from './forms.ts';
import { OWN_KIND, OWN_NONE, OWN_SECRET, OWN_UNIT, type Shown, type ShownFields } from './kinds.ts';

const DEEPEST = 9;

/** @param form `group.route` @param only these members, in this order; default: all */
export function presented(form: string, schema: JsonSchema, only?: readonly string[]): JsonSchema {
  const table = FORMS[form] ?? {};
  const first = firstForm(schema);
  const { properties, required, ...rest } = resolve(first, schema);
  if (!isObject(properties)) return schema;
  const names = (only ?? Object.keys(properties)).filter((name) => Object.hasOwn(properties, name) && shownOf(table, name, name).hide !== true);
  const shown = names.map((name): [string, unknown] => [name, properties[name]]);
  return {
    ...rest,
    ...(schema.$defs !== undefined && { $defs: schema.$defs }),
    properties: Object.fromEntries(shown.map(([name, member]) => [name, field(member, { table, path: name, name, root: schema, depth: 1 })])),
    required: listOf(required).filter((name) => shown.some(([one]) => one === name)),
  };
}

/** Of a body that may be written in two ways a form needs one. */
function firstForm(root: JsonSchema): unknown {
  const schema = resolve(root, root);
  const union = schema.anyOf ?? schema.oneOf;
  return Array.isArray(union) && !('properties' in schema) ? union[0] : schema;
}

interface At {
  table: ShownFields;
  /** `rules.when.paths`: lists do not count. */
  path: string;
  name: string;
  root: JsonSchema;
  depth: number;
}

function shownOf(table: ShownFields, path: string, name: string): Shown {
  return { ...bySuffix(name), ...COMMON[name], ...table[name], ...table[path] };
}

const SUFFIXES: readonly [suffix: RegExp, of: Shown][] = [
  [/_micros$/, { as: 'money-micros' }],
  [/_cents$/, { as: 'money-cents' }],
  [/_seconds$/, { as: 'seconds' }],
  [/_ms$/, { as: 'milliseconds' }],
  [/_days$/, { unit: 'days' }],
  [/_hours$/, { unit: 'hours' }],
];

function bySuffix(name: string): Shown {
  const rule = SUFFIXES.find(([suffix]) => suffix.test(name));
  return rule ? { ...rule[1], label: humanized(name.replace(rule[0], '')) } : {};
}

function field(given: unknown, at: At): JsonSchema {
  const { table, path, name, root, depth } = at;
  const schema = resolve(given, root);
  const { label, hint, as, unit, none, words, secret } = shownOf(table, path, name);
  const described = hint === undefined ? plainHint(textOf(schema.description)) : (hint ?? undefined);
  const { description: _before, ...rest } = schema;
  return {
    ...inside(rest, at, depth, words),
    title: label ?? textOf(schema.title) ?? humanized(name),
    ...(described !== undefined && { description: described }),
    ...(as !== undefined && { [OWN_KIND]: as }),
    ...(secret !== undefined && { [OWN_SECRET]: true }),
    ...(unit !== undefined && { [OWN_UNIT]: unit }),
    ...(none !== undefined && { [OWN_NONE]: none }),
  };
}

/** What a schema holds: members, items, branches, each with its own words. */
function inside(schema: JsonSchema, at: At, depth: number, words: Shown['words']): JsonSchema {
  if (depth > DEEPEST) return schema;
  const copy: JsonSchema = { ...schema };
  if (isObject(schema.properties))
    copy.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, member]) => [name, field(member, { ...at, path: `${at.path}.${name}`, name, depth: depth + 1 })]),
    );
  if (isObject(schema.items)) copy.items = inside(resolve(schema.items, at.root), at, depth + 1, words);
  if (Array.isArray(schema.enum)) copy['x-enumNames'] = schema.enum.map((value) => wordOf(value, words));
  for (const keyword of ['anyOf', 'oneOf']) {
    const all = schema[keyword];
    if (!Array.isArray(all) || isAnything(all)) continue;
    copy[keyword] = all.map((one) => branch(resolve(one, at.root), at, depth, words));
  }
  return copy;
}

/** A branch is named by its only value, or by what it must have. */
function branch(schema: JsonSchema, at: At, depth: number, words: Shown['words']): JsonSchema {
  const made = inside(schema, at, depth + 1, words);
  const marks = isObject(schema.properties)
    ? Object.values(schema.properties).flatMap((one) => ('const' in resolve(one, at.root) ? [memberOf(one, 'const')] : []))
    : [];
  const [mark] = 'const' in schema ? [schema.const] : marks;
  const title = mark === undefined ? byFirstMember(schema, words) : wordOf(mark, words);
  return title === undefined ? made : { ...made, title };
}

function byFirstMember(schema: JsonSchema, words: Shown['words']): string | undefined {
  const [name] = listOf(schema.required);
  const only = Object.keys(isObject(schema.properties) ? schema.properties : {})[0];
  const chosen = typeof name === 'string' ? name : only;
  return chosen === undefined ? undefined : wordOf(chosen, words);
}

function wordOf(value: unknown, words: Shown['words']): string {
  return words?.[String(value)] ?? (typeof value === 'string' && /^[a-z][a-z0-9_-]*$/.test(value) ? capitalized(inWords(value, humanized)) : String(value));
}

function isAnything(branches: readonly unknown[]): boolean {
  return branches.length > 4 && branches.some((one) => memberOf(one, 'type') === 'array') && branches.some((one) => memberOf(one, 'type') === 'object');
}

/** The contract's sentences are for who writes JSON. */
export function plainHint(text: string | undefined): string | undefined {
  return text
    ?.replace(/(^|[.;] ?)(?:[Aa]bsent|[Nn]ull): ?/g, (_, before: string) => `${before}If empty: `)
    .replace(/; If empty/, '. If empty')
    .replace(/\b(?:[Dd]efault): by chance/, 'If empty: by chance');
}
