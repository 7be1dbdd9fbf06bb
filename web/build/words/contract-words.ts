// Words of the contract that pages show: values such as states and kinds, and what forms say that are made
// of the schemas of routes.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { contract } from '#contract/index.ts';
import { PLAN_LIMITS } from '#contract/platform/plans.ts';
import * as states from '#contract/states.ts';
import { isSchema, type Group } from '#contract/kit.ts';
import { humanized } from '#contract/wire/wording.ts';
import { plainHint, presented } from '../../form/own/present.ts';
import { isObject, type JsonSchema } from '../../form/schema.ts';

export const VALUES = 'values';
export const FORMS = 'form labels';

const ROOT = join(import.meta.dirname, '../../..');
const FORM = /<RequestForm\b[^>]*?\bgroup="(\w+)"\s+route="(\w+)"/g;
const VALUE = /^[a-z][a-z]+(?:_[a-z]+)*$/;
const MARKED = /^⟦(.+)⟧$/s;
const groups: Record<string, Group> = contract;

/** "awaiting secret", for the value awaiting_secret. */
export function valuesOfContract(): string[] {
  const values = new Set<string>(PLAN_LIMITS);
  for (const value of Object.values(states).flatMap((list) => (Array.isArray(list) ? list.map(String) : []))) values.add(value);
  for (const group of Object.values(groups))
    for (const route of Object.values(group)) for (const schema of [route.out, route.body]) if (schema && isSchema(schema)) addValues(toJson(schema), values);
  return [...values]
    .filter((value) => VALUE.test(value))
    .map(wordsOfValue)
    .toSorted();
}

const wordsOfValue = (value: string): string => value.replaceAll('_', ' ');

function addValues(schema: unknown, values: Set<string>): void {
  if (Array.isArray(schema)) for (const one of schema) addValues(one, values);
  if (!isObject(schema)) return;
  for (const one of [...(Array.isArray(schema.enum) ? schema.enum : []), schema.const]) if (typeof one === 'string') values.add(one);
  for (const one of Object.values(schema)) addValues(one, values);
}

/** Labels and hints that no table of web/form/own/ says otherwise, by the form. */
export function labelsOfForms(): Map<string, string> {
  const labels = new Map<string, string>();
  for (const { group, route } of forms()) {
    const body = groups[group]?.[route]?.body;
    if (!body || !isSchema(body)) throw new Error(`a form of ${group}.${route}, which takes no body`);
    const form = `${group}.${route}`;
    const shown = presented(
      form,
      withLabels(toJson(body), (text) => `⟦${text}⟧`),
    );
    for (const text of textsIn(shown)) {
      const label = MARKED.exec(text)?.[1];
      if (label !== undefined) labels.set(label, labels.get(label) ?? form);
    }
  }
  return labels;
}

function forms(): { group: string; route: string }[] {
  const files = globSync('web/**/*.tsx', { cwd: ROOT });
  return files.flatMap((file) => [...readFileSync(join(ROOT, file), 'utf8').matchAll(FORM)].map(([, group = '', route = '']) => ({ group, route })));
}

/** Each field with a label, and its hint, as `say` says them. */
export function withLabels<T>(schema: T, say: (text: string) => string): T {
  return labelled(schema, say, false) as T;
}

function labelled(schema: unknown, say: (text: string) => string, areMembers: boolean): unknown {
  if (Array.isArray(schema)) return schema.map((one) => labelled(one, say, false));
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]): [string, unknown] => {
      if (areMembers && isObject(value)) return [name, labelled({ ...value, title: value.title ?? humanized(name) }, say, false)];
      if ((name === 'title' || name === 'description') && typeof value === 'string') return [name, say(plainHint(value) ?? '')];
      return [name, name === 'enum' || name === 'const' || name === 'default' ? value : labelled(value, say, name === 'properties')];
    }),
  );
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  // Definitions stand where they are used.
  return Object.entries(value).flatMap(([name, one]) => (name === '$defs' ? [] : textsIn(one)));
}

// Safe: a schema is an object.
const toJson = (schema: z.core.$ZodType): JsonSchema => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', target: 'draft-2020-12' }) as JsonSchema;
