// What every recipe writes is sound: TypeScript, its own tests and the tool take it, and its trials are
// answered, whatever the brief says.
import { Ajv2020 } from 'ajv/dist/2020.js'; // what clients check JSON Schema 2020-12 with
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GeneratedProjects } from '#test/support/generated-projects.ts';
import { REVIEW_RULES } from '../../quality/review/rules/index.ts';
import { project as reviewed } from '../../quality/review/test/project.ts';
import type { ProjectFile } from '../../agents/source/pack.ts';
import { RECIPES } from './index.ts';
import type { RecipeBrief, Trial, RecipeOutput } from './recipe.ts';
import { hostileBrief, noCtx, plainBrief } from './test/briefs.ts';

interface Made extends RecipeOutput {
  name: string;
  brief: RecipeBrief;
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const made = new Map<string, Made>();
let projects: GeneratedProjects;

beforeAll(async () => {
  for (const { recipe, write } of RECIPES)
    for (const [kind, brief] of [['plain', plainBrief(recipe)] as const, ['hostile', hostileBrief(recipe)] as const]) {
      const name = `${kind}-${recipe}`;
      made.set(name, { ...(await write(noCtx, brief)), name, brief });
    }
  projects = await GeneratedProjects.write(Object.fromEntries([...made].map(([name, { files, trials }]) => [name, [...files, trialTests(files, trials)]])));
});
afterAll(() => projects.remove());

/** Makes every trial in memory, with no network; an answer that does not fit fails. */
function trialTests(files: readonly ProjectFile[], trials: readonly Trial[]): ProjectFile {
  const manifest = String(files.find(({ path }) => path === 'svc.yaml')?.content);
  const className = /^entrypoint: agent:(\w+)$/m.exec(manifest)?.[1] ?? '';
  const content = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { testAgent } from '@svc/sdk/testing';
import { ${className} } from './agent.ts';

const trials: { skill: string; args: object; expect?: object }[] = JSON.parse(${JSON.stringify(JSON.stringify(trials))});
globalThis.fetch = () => Promise.reject(new TypeError('there is no network'));
for (const { skill, args, expect } of trials)
  test(\`trial of \${skill}\`, async () => {
    const { result } = await testAgent(${className}, { caller: { sub: 'usr_trial' } }).invoke(skill as never, args as never);
    const validate = new Ajv2020({ strict: false }).compile(expect ?? {});
    assert.ok(validate(result), JSON.stringify([result, validate.errors]));
  });
`;
  return { path: 'trials.test.ts', content };
}

async function checkMade({ name, brief, files, trials, next, schedule }: Made): Promise<void> {
  const own = files.flatMap(({ path }) => (path.endsWith('.test.ts') ? [path] : []));
  const fewest = name.endsWith('api_wrapper') ? 1 : 4;
  expect(await projects.runTests(name, own)).toBeGreaterThanOrEqual(fewest);
  if (trials.length > 0) expect(await projects.runTests(name, ['trials.test.ts'])).toBe(trials.length);
  const { card, project } = await projects.check(name);
  expect(card).toMatchObject({ name: brief.name, version: brief.version });
  expect(project.manifest.frontend?.mount).toBe(brief.frontend ? '/app' : undefined);
  expect(card.skills.every(({ description }) => description !== '')).toBe(true);
  for (const integration of brief.integrations) expect(next.join('\n')).toContain(integration);
  for (const { skill, args } of [...trials, ...(schedule ? [schedule] : [])]) {
    const validate = ajv.compile(card.skills.find(({ id }) => id === skill)?.input_schema ?? false);
    expect(validate(args), `${skill}: ${JSON.stringify(validate.errors)}`).toBe(true);
  }
  if (name.endsWith('api_wrapper')) return;
  expect(card.description).toBe(brief.goal);
  expect(card.required_secrets).toEqual(brief.integrations);
  const source = Object.fromEntries(files.map(({ path, content }) => [path, String(content)]));
  const findings = REVIEW_RULES.flatMap((rule) => [...rule.find(reviewed({ files: source, card }))].map(({ title, path, line }) => `${path}:${line} ${title}`));
  expect(findings, 'what a review says').toEqual([]);
}

test('TypeScript takes what all of them write', async () => {
  await projects.typeCheck();
});

test.each(RECIPES.map(({ recipe }) => recipe))('%s: its own tests, the tool and its trials, with a hostile brief too', async (recipe) => {
  await Promise.all(['plain', 'hostile'].flatMap((kind) => made.get(`${kind}-${recipe}`) ?? []).map(checkMade));
});
