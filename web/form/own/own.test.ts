// Every form of the platform as its readers see it: no name of the API in a label, a hint or a choice.
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { contract } from '#contract/index.ts';
import { type Group, isSchema } from '#contract/kit.ts';
import { fieldOf } from '../field.ts';
import type { JsonSchema } from '../schema.ts';
import { FORMS } from './forms.ts';
import { presented } from './present.ts';

// reads: web/
const ROOT = join(import.meta.dirname, '../../..');
const groups: Record<string, Group> = contract;
const API_NAME = /\b[a-z]+_[a-z_]+\b|`|\bnull\b/;

function bodyOf(form: string): JsonSchema {
  const [group = '', route = ''] = form.split('.');
  const body = groups[group]?.[route]?.body;
  if (!body || !isSchema(body)) throw new Error(`${form} takes no body`);
  return z.toJSONSchema(body, { io: 'input', unrepresentable: 'any', target: 'draft-2020-12' });
}

function* wordsIn(schema: unknown, root: JsonSchema, depth = 0): Iterable<string> {
  const field = fieldOf(schema, root);
  yield* [field.title, field.description].filter((word) => word !== undefined);
  if (depth > 8) return;
  if (field.kind === 'choice' || field.kind === 'several') yield* field.options.map(({ label }) => label);
  if (field.kind === 'union')
    for (const branch of field.branches) {
      yield branch.label;
      yield* wordsIn(branch.schema, root, depth + 1);
    }
  if (field.kind === 'object') for (const member of field.members) yield* wordsIn(member.schema, root, depth + 1);
  if (field.kind === 'list') yield* wordsIn(field.items, root, depth + 1);
}

/** What pages draw by `RequestForm`. */
async function formsOfPages(): Promise<string[]> {
  const found = new Set<string>();
  for await (const file of glob('web/**/*.tsx', { cwd: ROOT })) {
    const text = await readFile(join(ROOT, file), 'utf8');
    for (const [, group, route] of text.matchAll(/group="(\w+)"\s+route="(\w+)"/g)) found.add(`${group}.${route}`);
  }
  return [...found].toSorted();
}
const forms = await formsOfPages();

test('each form with words of its own is one of a page', () => {
  expect(forms.length).toBeGreaterThan(35);
  expect(Object.keys(FORMS).filter((form) => !forms.includes(form))).toEqual([]);
});

test.each(forms)('%s shows no name of the API', (form) => {
  const schema = presented(form, bodyOf(form));
  const words = [...wordsIn(schema, schema)];
  expect(words.length).toBeGreaterThan(0);
  expect(words.filter((word) => API_NAME.test(word))).toEqual([]);
});

test('a form still checks what its route checks', () => {
  const schema = presented('bounties.post', bodyOf('bounties.post'));
  expect(schema).toMatchObject({ type: 'object', required: ['title', 'description'], additionalProperties: false });
  expect(fieldOf(schema, schema)).toMatchObject({ kind: 'object' });
  expect(schema['properties']).toMatchObject({ reward_micros: { type: 'integer', minimum: 0, title: 'Reward', 'x-svc-kind': 'money-micros' } });
});
