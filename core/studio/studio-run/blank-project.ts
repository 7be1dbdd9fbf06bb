// A project that does nothing yet: what a language model starts from where no recipe fits.
import type { StudioBrief } from '#contract/studio/studio-brief.ts';
import { quoted } from '../../agents/source/literal.ts';
import { COMMANDS, headFiles } from '../../agents/source/project-files.ts';
import type { RecipeOutput } from '../recipe/recipe.ts';
import { FIRST_VERSION } from './row.ts';

const CLASS = 'StudioAgent';

export function blankProject({ name, goal }: Pick<StudioBrief, 'name' | 'goal'>): RecipeOutput {
  return {
    files: [
      ...headFiles({ name, version: FIRST_VERSION, className: CLASS }),
      { path: 'README.md', content: `# ${name}\n\n${goal.replaceAll(/\s+/g, ' ')}\n\n${COMMANDS}` },
      { path: 'agent.ts', content: agentTs(name, goal) },
      { path: 'agent.test.ts', content: TEST },
    ],
    trials: [],
    next: [],
  };
}

const agentTs = (name: string, goal: string): string => `import { Agent, skill, SkillInvocationError, z } from '@svc/sdk';

export class ${CLASS} extends Agent {
  name = ${quoted(name)};
  description = ${quoted(goal)};
  version = '${FIRST_VERSION}';

  run = skill(
    { description: ${quoted(goal)}, input: z.object({ text: z.string().min(1).max(10_000) }), output: z.object({ text: z.string() }) },
    async () => {
      throw new SkillInvocationError('It is not written yet', { status: 501 });
    },
  );
}
`;

const TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from '@svc/sdk/testing';
import { ${CLASS} } from './agent.ts';

test('it does its goal', async () => {
  const agent = testAgent(${CLASS});
  const { result } = await agent.invoke('run', { text: 'a sample' });
  assert.ok(result);
});
`;
