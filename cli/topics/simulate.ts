// Worlds of many actors, run from a seed.
import { Option } from 'clipanion';
import { integer } from '../lib/api-command.ts';
import { type Answer, command, customCommand, type Row } from '../lib/command.ts';
import { CliError } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { plain, table } from '../lib/output.ts';
import { followed } from '../simulations/follow.ts';
import { simulationLines } from '../simulations/show.ts';
import { worldIn } from '../simulations/world-in.ts';

const MAX_SEED = 999_999_999;

type Templates = Answer<'kernelSimulations.templates'>;

/** @throws CliError where there is no such template */
function specOf({ items }: Templates, name: string): Row<Templates>['spec'] {
  const templateEntry = items.find(({ template }) => template === name);
  if (!templateEntry) throw new CliError(`There is no template ${name}: use one of ${items.map(({ template }) => template).join(', ')}`);
  return templateEntry.spec;
}

function templateTable({ items }: Templates): string[] {
  const rows = items.map(({ template, world, about }) => [template, world, about]);
  return table(['TEMPLATE', 'WORLD', 'WHAT'], rows);
}

export const commands = [
  command('simulate templates', {
    about: 'list the worlds that a simulation can start from',
    details: 'With a name: its specification, to change and to run from a file.',
    examples: [
      ['All', 'svc simulate templates'],
      ['The specification of one, to keep in a file', 'svc simulate templates market'],
    ],
    arguments: { template: '[TEMPLATE]' },
    route: 'kernelSimulations.templates',
    json: (all, { template }) => (template === undefined ? all.items : specOf(all, template)),
    lines: (all, { template }) => (template === undefined ? templateTable(all) : [JSON.stringify(specOf(all, template), null, 2)]),
  }),
  command('simulate list', {
    about: 'list your simulations, newest first',
    examples: [['The last twenty', 'svc simulate list']],
    options: () => ({ limit: Option.String('--limit,-n', '20', { description: 'how many' }) }),
    route: 'kernelSimulations.list',
    send: ({ limit }) => ({ query: { limit: integer('--limit', limit, { min: 1, max: 200 }) } }),
    json: ({ items }) => items,
    columns: {
      JOB: ({ job_id }) => job_id,
      STATE: ({ state }) => state,
      INVARIANTS: ({ verdict }) => verdict ?? '-',
      SEED: ({ seed }) => `${seed}`,
      STEPS: ({ done, total }) => `${done} of ${total}`,
      WHAT: ({ title }) => plain(title),
    },
    empty: () => 'None. Start one with: svc simulate creator-market --follow',
  }),
  command('simulate get', {
    about: 'show what a simulation measured, and what held',
    examples: [['With its plots', 'svc simulate get job_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11']],
    arguments: { job: 'JOB' },
    route: 'kernelSimulations.get',
    send: ({ job }) => ({ params: { job_id: job } }),
    lines: simulationLines,
  }),
  customCommand('simulate replay', {
    about: 'run a simulation again and compare every digest',
    details: 'Runs on the platform as a new job; with --local on this machine. No agent is called again. Exits 1 where a digest differs.',
    examples: [
      ['At the platform', 'svc simulate replay job_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11'],
      ['On this machine, without trusting the platform', 'svc simulate replay job_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 --local'],
    ],
    arguments: { job: 'JOB' },
    options: () => ({ local: Option.Boolean('--local', false, { description: 'on this machine' }) }),
    run: async ({ job, local }, { client: { kernelSimulations }, output }) => {
      if (!local) {
        const { job_id } = await kernelSimulations.replay({ params: { job_id: job } });
        return { run: await followed(output, () => kernelSimulations.get({ params: { job_id } })), here: undefined };
      }
      const run = await kernelSimulations.get({ params: { job_id: job } });
      const { replayHere } = await import('#contract/studio/simulation/replay.ts');
      const { matches, first_difference, digest, engine } = await replayHere(run);
      return { run, here: { of: job, matches, first_difference, digest, engine } };
    },
    json: ({ run, here }) => here ?? run,
    lines: ({ run, here }, _, output) => {
      if (!here) return simulationLines(run);
      return here.matches
        ? [output.good(`All ${run.digests.length} digests are the same here: ${here.digest}`)]
        : [output.bad(`Step ${here.first_difference} has another digest here (engine ${here.engine}; the run was made by ${run.engine}).`)];
    },
    exit: ({ run, here }) => ((here ?? run.replay)?.matches === true ? EXIT.ok : EXIT.failure),
  }),
  customCommand('simulate', {
    about: 'run a world of many actors from a seed',
    details:
      'WHAT is the name of a template (see svc simulate templates) or a JSON file with a specification. The same seed gives the same run, digest for digest. Ends with 1 where an invariant broke.',
    examples: [
      ['Which price rule keeps creators solvent?', 'svc simulate creator-market --follow'],
      ['A world of your own', 'svc simulate my-world.json --seed 7 --follow'],
    ],
    arguments: { what: 'WHAT' },
    options: () => ({
      seed: Option.String('--seed', '1', { description: 'whole number' }),
      steps: Option.String('--steps', { description: 'how many steps, 1 to 120 (default: from the template or the file)' }),
      hybrid: Option.Boolean('--hybrid', false, { description: 'actors with an agent take some of their turns by real calls' }),
      follow: Option.Boolean('--follow,-f', false, { description: 'wait for its end, and show what was measured' }),
    }),
    run: async ({ what, seed: typed, steps, hybrid, follow }, { client: { kernelSimulations }, output }) => {
      const seed = integer('--seed', typed, { min: 0, max: MAX_SEED });
      const length = steps === undefined ? {} : { steps: integer('--steps', steps, { min: 1, max: 120 }) };
      const body = { ...(await worldIn(what)), ...length, seed, ...(hybrid && { execution_mode: 'hybrid' as const }) };
      const begun = await kernelSimulations.start({ body });
      return { begun, run: follow ? await followed(output, () => kernelSimulations.get({ params: { job_id: begun.job_id } })) : undefined };
    },
    json: ({ begun, run }) => run ?? begun,
    lines: ({ begun, run }) => (run ? simulationLines(run) : [begun.job_id]),
    hint: ({ begun, run }) => (run ? undefined : `See it with: svc simulate get ${begun.job_id}`),
    exit: ({ run }) => (run && run.state !== 'succeeded' ? EXIT.failure : EXIT.ok),
  }),
];
