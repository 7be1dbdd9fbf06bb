// Worlds of many actors, run from a seed.
import { Option } from 'clipanion';
import { integer } from '../lib/api-command.ts';
import { SimulateReplayCommand } from '../commands/simulate/replay.ts';
import { SimulateCommand } from '../commands/simulate/start.ts';
import { CliError } from '../lib/errors.ts';
import { type Answer, command, type Row } from '../lib/command.ts';
import { plain, table } from '../lib/output.ts';
import { simulationLines } from '../simulations/show.ts';

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
      WHAT: ({ title }) => plain(title).slice(0, 50),
    },
    empty: () => 'None. Start one with: svc simulate creator-market --follow',
  }),
  command('simulate show', {
    about: 'show what a simulation measured, and what held',
    examples: [['With its plots', 'svc simulate show job_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11']],
    arguments: { job: 'JOB' },
    route: 'kernelSimulations.get',
    send: ({ job }) => ({ params: { job_id: job } }),
    lines: simulationLines,
  }),
  SimulateReplayCommand,
  SimulateCommand,
];
