// The generated project is sound: TypeScript, its own tests and the tool take it, whatever the manifest says.
import { expect, test } from 'vitest';
import { AgentComposeIn } from '#contract/deploys/compose.ts';
import { GeneratedProjects, HOSTILE } from '#test/support/generated-projects.ts';
import { sourceOf } from './source.ts';
import { cardSkill, foundAgent, summarize, text } from './test/skills.ts';
import { wire } from './wire.ts';

test.each(['deterministic_dag', 'llm_dag'] as const)('%s: the generated project is sound for TypeScript, its own tests and the tool', async (planning) => {
  const odd = cardSkill(
    'search',
    { question: { ...text, description: HOSTILE }, 'odd name': { type: 'array', items: { $ref: '#/$defs/x' } }, kind: { enum: ['a', 'b'] } },
    { text },
  );
  const body = AgentComposeIn.parse({
    name: 'library-desk',
    description: HOSTILE,
    goal: { objective: HOSTILE, success_criteria: ['It is read'], constraints: ['No guesses'] },
    composition: { planning, sub_agents: [{ name: 'library' }, { name: 'writer', default_args: { style: 'short' } }] },
    memory: { enabled: true },
  });
  if ('manifest' in body) throw new Error('not nested');
  const files = await sourceOf({
    manifest: body,
    wired: await wire([foundAgent('library', [odd]), foundAgent('writer', [summarize])], body.composition.sub_agents, []),
    version: '0.1.0',
  });
  const projects = await GeneratedProjects.write({ desk: files });
  try {
    await projects.typeCheck();
    expect(await projects.runTests('desk', ['agent.test.ts'])).toBe(2);
    const { card } = await projects.check('desk');
    expect(card.description).toBe(HOSTILE);
    expect(card.skills.map(({ id }) => id)).toEqual(['run', 'last_run']);
    const inputs = ['question', 'odd name', 'kind'];
    expect(Object.keys(card.skills[0]?.input_schema.properties ?? {})).toEqual(planning === 'llm_dag' ? ['goal', ...inputs] : inputs);
    expect(card.skills[0]?.input_schema.required ?? []).toEqual(planning === 'llm_dag' ? [] : inputs);
  } finally {
    await projects.remove();
  }
});
