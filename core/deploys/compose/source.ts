// The project of a composed agent: what differs is written here, how it works is copied from project/.
import { join } from 'node:path';
import type { CompositionManifest } from '#contract/deploys/compose.ts';
import type { ProjectFile } from '../../agents/source/pack.ts';
import { propertyKey, literal, quoted } from '../../agents/source/literal.ts';
import { COMMANDS, copiedFiles, headFiles } from '../../agents/source/project-files.ts';
import { isReadable, type Wired } from './wire.ts';

export interface SourceOf {
  manifest: CompositionManifest;
  wired: Wired;
  version: string;
}

export async function sourceOf(i: SourceOf): Promise<ProjectFile[]> {
  const copied = i.manifest.composition.planning === 'llm_dag' ? ['steps.ts', 'choose.ts', 'fit.ts'] : ['steps.ts'];
  return [
    ...headFiles({ name: i.manifest.name, version: i.version, className: 'ComposedAgent', more: modelsOf(i) }),
    { path: 'README.md', content: readme(i) },
    { path: 'composition.ts', content: compositionTs(i) },
    { path: 'agent.ts', content: await agentTs(i) },
    { path: 'agent.test.ts', content: testTs(i) },
    ...(await copiedFiles(join(import.meta.dirname, '../composed/project'), copied)),
  ];
}

/** Who plans by goal may ask a language model of the owner's. */
function modelsOf({ manifest }: SourceOf): string {
  return manifest.composition.planning === 'llm_dag' ? 'models:\n  paid_by: owner\n' : '';
}

function compositionTs({ manifest, wired }: SourceOf): string {
  const { planning, max_nodes, max_parallel, max_replans } = manifest.composition;
  const byGoal = planning === 'llm_dag';
  const steps = wired.steps.map(({ id, agent, skill, args, required, repeatable, about }) =>
    byGoal ? { id, agent, skill, args, required, repeatable, about } : { id, agent, skill, args, required, repeatable },
  );
  return `// Which skills are called, and what each takes from where: \`$input.name\` an argument, \`$agent.skill.path\` a result.
import type { Limits } from './steps.ts';
import type { ${byGoal ? "OfferedStep } from './choose.ts" : "Step } from './steps.ts"}';

export const goal = ${literal(manifest.goal)};

export const limits: Limits = ${literal({ maxParallel: max_parallel, maxReplans: max_replans })};
${byGoal ? `\n/** Calls in one run. */\nexport const maxSteps = ${max_nodes};\n` : ''}
export const steps: readonly ${byGoal ? 'OfferedStep' : 'Step'}[] = ${literal(steps)};
`;
}

async function agentTs({ manifest, wired, version }: SourceOf): Promise<string> {
  const byGoal = manifest.composition.planning === 'llm_dag';
  const { enabled, ttl_days } = manifest.memory;
  const inputs: string[] = [];
  for (const [name, schema] of wired.inputs)
    inputs.push(`        ${propertyKey(name)}: ${await model(manifest.name, schema)}${byGoal ? '.optional()' : ''},\n`);
  if (byGoal)
    inputs.unshift(`        goal: z.string().min(1).max(2000).default(goal.objective).describe('What is to be done; decides which skills are called.'),\n`);
  const names = ['Agent', 'skill', 'SkillInvocationError', 'z'];
  const run = byGoal
    ? `const chosen = (await chooseByModel(ctx.llm, steps, input.goal, input, maxSteps)) ?? chooseSteps(steps, input.goal, input, maxSteps);
      if (chosen.length === 0) throw new SkillInvocationError('No skill can be called with these arguments: give more of them.');
      `
    : '';
  const keep = enabled ? `\n        await ctx.memory.put('last_run', { at: new Date().toISOString(), ...outcome }, { ttlSeconds: ${ttl_days * 86_400} });` : '';
  const recall = enabled
    ? `

  last_run = skill(
    { description: 'What your last run came to; null when there is none.', output: z.unknown(), idempotent: true },
    async (ctx) => (await ctx.memory.get('last_run'))?.value ?? null,
  );`
    : '';
  return `// Composed of other agents: composition.ts says which, steps.ts calls them.
import { ${names.join(', ')} } from '@svc/sdk';
${byGoal ? "import { chooseByModel, chooseSteps } from './choose.ts';\n" : ''}import { ${[...(byGoal ? ['goal'] : []), 'limits', ...(byGoal ? ['maxSteps'] : []), 'steps'].join(', ')} } from './composition.ts';
import { runSteps, StepFailed } from './steps.ts';

export class ComposedAgent extends Agent {
  name = ${quoted(manifest.name)};
  description = ${quoted(manifest.description || manifest.goal.objective)};
  version = ${quoted(version)};

  run = skill(
    {
      description: ${quoted(manifest.goal.objective)},
      stream: true,
      input: z.object({
${inputs.join('')}      }),
      output: z.object({ results: z.record(z.string(), z.unknown()), steps: z.array(z.unknown()) }),
    },
    async (ctx, input) => {
      ${run}try {
        const outcome = await runSteps(ctx, ${byGoal ? 'chosen' : 'steps'}, input, limits);${keep}
        return outcome;
      } catch (error) {
        if (!(error instanceof StepFailed)) throw error;
        ctx.log.warn('a step failed', { steps: error.outcome.steps });
        throw new SkillInvocationError(error.message, { status: 502 });
      }
    },
  );${recall}
}
`;
}

const SIMPLE: Readonly<Record<string, string>> = { string: 'z.string()', number: 'z.number()', integer: 'z.int()', boolean: 'z.boolean()' };
const DESCRIBED = new Set(['type', 'description', 'title']);

/** A plain type as one writes it; anything else by its JSON Schema. */
async function model(author: string, schema: Readonly<Record<string, unknown>>): Promise<string> {
  const { type, description } = schema;
  const simple = typeof type === 'string' && Object.keys(schema).every((name) => DESCRIBED.has(name)) ? SIMPLE[type] : undefined;
  if (simple !== undefined) return typeof description === 'string' && description !== '' ? `${simple}.describe(${quoted(description)})` : simple;
  return (await isReadable(author, schema)) ? `z.fromJSONSchema(${literal(schema, 8)})` : 'z.unknown()';
}

function testTs({ manifest, wired }: SourceOf): string {
  const byGoal = manifest.composition.planning === 'llm_dag';
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ComposedAgent } from './agent.ts';
import { ${byGoal ? 'limits, maxSteps, steps' : 'limits, steps'} } from './composition.ts';
import { runSteps, stepsNeeded } from './steps.ts';

test('every step takes results of steps that are there', () => {
  const known = steps.map(({ id }) => id);
  for (const step of steps) for (const id of stepsNeeded(step.args)) assert.ok(known.includes(id), \`\${step.id} takes the result of \${id}\`);
  assert.equal(new ComposedAgent().name, ${quoted(manifest.name)});
});

test('each skill is called once, and what fails is said', async () => {
  const called: string[] = [];
  const caller = {
    call: async (agent: string, skill: string) => (called.push(\`\${agent}.\${skill}\`), { result: {}, grantId: null }),
    emitProgress: async () => {},
    checkCancelled: () => {},
  };
  const outcome = await runSteps(caller, ${byGoal ? 'steps.slice(0, maxSteps)' : 'steps'}, {}, limits);
  assert.ok(outcome.steps.every(({ state }) => state === 'succeeded'));
  assert.equal(called.length, ${byGoal ? `Math.min(maxSteps, ${wired.steps.length})` : wired.steps.length});
  const failing = { ...caller, call: () => Promise.reject(new Error('out of order')) };
  if (steps[0]?.required) await assert.rejects(runSteps(failing, steps.slice(0, 1), {}, limits), /out of order/);
});
`;
}

function readme({ manifest, wired }: SourceOf): string {
  const { objective, success_criteria, constraints } = manifest.goal;
  const list = (title: string, lines: readonly string[]): string =>
    lines.length === 0 ? '' : `\n${title}:\n\n${lines.map((line) => `- ${line}`).join('\n')}\n`;
  const steps = wired.steps.map(({ id, required }) => `\`${id}\`${required ? '' : ' (not required)'}`);
  return `# ${manifest.name}

${manifest.description || objective}

Goal: ${objective}
${list('It is reached when', success_criteria)}${list('Constraints', constraints)}${list('It calls', steps)}
\`composition.ts\` says which skills are called and what each takes from where, \`steps.ts\` calls them, \`agent.ts\` is the agent.

${COMMANDS}`;
}
