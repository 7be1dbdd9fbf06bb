// The generated project is sound: TypeScript, its own tests and the tool take it, whatever the manifest says.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { checkProject } from '#cli/project/check.ts';
import { AgentComposeIn } from '#contract/agents/compose.ts';
import { packProject } from '../source/pack.ts';
import { sourceOf } from './source.ts';
import { cardSkill, foundAgent, summarize, text } from './test/skills.ts';
import { wire } from './wire.ts';

const root = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

test.each(['deterministic_dag', 'llm_dag'] as const)('%s: the generated project is sound for TypeScript, its own tests and the tool', async (planning) => {
  const hostile = `it's "quoted" \\ \`\${x}\` \u2028 */ // end`;
  const odd = cardSkill(
    'search',
    { question: { ...text, description: hostile }, 'odd name': { type: 'array', items: { $ref: '#/$defs/x' } }, kind: { enum: ['a', 'b'] } },
    { text },
  );
  const body = AgentComposeIn.parse({
    name: 'library-desk',
    description: hostile,
    goal: { objective: hostile, success_criteria: ['It is read'], constraints: ['No guesses'] },
    composition: { planning, sub_agents: [{ name: 'library' }, { name: 'writer', default_args: { style: 'short' } }] },
    memory: { enabled: true },
  });
  if ('manifest' in body) throw new Error('not nested');
  const files = await sourceOf({
    manifest: body,
    wired: wire([foundAgent('library', [odd]), foundAgent('writer', [summarize])], body.composition.sub_agents, []),
    version: '0.1.0',
  });
  // Inside the clone, where packages are found.
  const folder = await mkdtemp(join(root, '.svc-composed-'));
  try {
    for await (const _ of await packProject(folder, files));
    const tsconfig = {
      extends: './tsconfig.json',
      compilerOptions: { paths: { '@svc/sdk': [join(root, 'sdk/typescript/index.ts')] }, noUncheckedIndexedAccess: true },
    };
    for await (const _ of await packProject(folder, [{ path: 'tsconfig.check.json', content: JSON.stringify(tsconfig) }]));
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.check.json'], { cwd: folder });
    const { VITEST: _, NODE_OPTIONS: __, NODE_TEST_CONTEXT: ___, ...env } = process.env;
    const register = pathToFileURL(join(root, 'docs/samples/register.ts')).href;
    const tested = await run(process.execPath, ['--import', register, '--test', '--test-reporter=tap', 'agent.test.ts'], { cwd: folder, env });
    expect(tested.stdout).toMatch(/^# pass 2$/m);
    const { card } = await checkProject(folder);
    expect(card.description).toBe(hostile);
    expect(card.skills.map(({ id }) => id)).toEqual(['run', 'last_run']);
    const inputs = ['question', 'odd name', 'kind'];
    expect(Object.keys(card.skills[0]?.input_schema.properties ?? {})).toEqual(planning === 'llm_dag' ? ['goal', ...inputs] : inputs);
    expect(card.skills[0]?.input_schema.required ?? []).toEqual(planning === 'llm_dag' ? [] : inputs);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
