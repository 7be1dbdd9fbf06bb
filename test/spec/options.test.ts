// sdk/options.md says of every option where it takes effect; an option that is added needs its line.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { AgentCard } from '#contract/wire/card.ts';
import { Manifest } from '#contract/wire/manifest.ts';
import { unsupportedIn } from '#contract/wire/unsupported.ts';

type Schema = { properties?: Record<string, Schema>; items?: Schema; $ref?: string; allOf?: Schema[] };

/** Paths of what has no members of its own. Fields of consumer_setup have a page of theirs. */
function leaves(schema: Schema, at: string, defs: Record<string, Schema>): string[] {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  const own = ref === undefined ? schema : (defs[ref.replace('#/$defs/', '')] ?? {});
  if (at === 'consumer_setup') return [at];
  const members = own.properties ?? (own.items && followed(own.items, defs).properties);
  if (!members) return [at];
  return Object.entries(members).flatMap(([name, member]) => leaves(member, at === '' ? name : `${at}.${name}`, defs));
}

function followed(schema: Schema, defs: Record<string, Schema>): Schema {
  return schema.$ref === undefined ? schema : (defs[schema.$ref.replace('#/$defs/', '')] ?? {});
}

// Safe: what zod writes is a JSON Schema.
const optionsOf = (model: z.ZodType): string[] => {
  const schema = z.toJSONSchema(model, { io: 'input' }) as Schema & { $defs?: Record<string, Schema> };
  return leaves(schema, '', schema.$defs ?? {}).sort();
};

async function documented(heading: string): Promise<string[]> {
  const text = await readFile(new URL('../../sdk/options.md', import.meta.url), 'utf8');
  const [, table = ''] = text.split(`| ${heading} | takes effect |\n`);
  const rows = table.split('\n\n')[0]?.split('\n') ?? [];
  return rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name)).sort();
}

test('each option of the card and of svc.yaml has its line, and no line is of an option that is gone', async () => {
  expect(await documented('option')).toEqual(optionsOf(AgentCard));
  expect(await documented('`svc.yaml`')).toEqual(optionsOf(Manifest));
});

const card = (more: object, policy: object = {}): AgentCard =>
  AgentCard.parse({
    name: 'a-b',
    description: '',
    version: '1.0.0',
    skills: [{ id: 'go', name: 'go', input_schema: {}, output_schema: {}, policy }],
    ...more,
  });

test('what has no effect here is refused by its name, with what to do; the rest is not', () => {
  const refused = (more: object, policy?: object): string[] => unsupportedIn(card(more, policy)).map(({ option }) => option);
  expect(refused({})).toEqual([]);
  expect(refused({ runtime: { state: 'durable', egress: { deny_internet_by_default: false } }, required_env: ['REGION'] })).toEqual([]);
  expect(refused({ runtime: { lifecycle: 'session' } })).toEqual(['runtime.lifecycle']);
  expect(refused({ runtime: { lifecycle: 'persistent' } })).toEqual(['runtime.lifecycle']);
  expect(refused({ runtime: { state: 'session' } })).toEqual(['runtime.state']);
  expect(refused({ runtime: { resources: { gpu: 1 } } })).toEqual(['runtime.resources.gpu']);
  expect(refused({ state_schema: {} })).toEqual([]);
  expect(refused({}, { cost_class: 'cheap', max_retries: 2 })).toEqual([]);
  for (const { message } of unsupportedIn(card({ runtime: { lifecycle: 'session', resources: { gpu: 2 } } }))) expect(message).toMatch(/leave it out/);
});
