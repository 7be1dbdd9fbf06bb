// Datasets: examples that versions of an agent are evaluated on.
import { withoutMark } from '#contract/wire/byte-order-mark.ts';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Option } from 'clipanion';
import type { DatasetItemIn, DatasetItemOut } from '#contract/quality/evaluations.ts';
import { parseExact } from '#contract/wire/exact-json.ts';
import { command, customCommand } from '../lib/command.ts';
import { CliError, UsageError } from '../lib/errors.ts';

/** Of one request. */
const BATCH = 100;

async function examplesIn(file: string, stdin: Readable): Promise<DatasetItemIn[]> {
  const lines = withoutMark(file === '-' ? await text(stdin) : await readFile(file, 'utf8')).split('\n');
  const items = lines.flatMap((line, n) => (line.trim() === '' ? [] : [exampleOf(line, `${file}:${n + 1}`)]));
  if (items.length === 0) throw new CliError(`${file} has no examples.`);
  return items;
}

/** The platform checks the rest, and names the place. */
function exampleOf(line: string, at: string): DatasetItemIn {
  let value: unknown;
  try {
    value = parseExact(line);
  } catch (error) {
    throw new CliError(`${at} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== 'object' || value === null || !('skill' in value) || typeof value.skill !== 'string')
    throw new CliError(`${at} has no "skill": write {"skill": …, "args": {…}, "expected": …}`);
  const args = 'args' in value ? value.args : {};
  if (typeof args !== 'object' || args === null || Array.isArray(args)) throw new CliError(`${at}: "args" must be an object`);
  return { skill: value.skill, args: { ...args }, ...('expected' in value && { expected: value.expected }) };
}

export const commands = [
  command('datasets list', {
    about: 'list the datasets of your agent',
    examples: [['The project in this folder', 'svc datasets list']],
    ofProject: true,
    route: 'evaluations.datasets',
    send: ({ agent }) => ({ params: { name: agent } }),
    json: ({ items }) => items,
    columns: {
      DATASET: ({ dataset }) => dataset,
      EXAMPLES: ({ items }) => String(items),
      SINCE: ({ created_at }) => created_at.slice(0, 10),
    },
    empty: ({ agent }) => `${agent} has no datasets. Make one with: svc datasets create ${agent} DATASET --file examples.jsonl`,
  }),
  customCommand('datasets create', {
    about: 'add examples to a dataset of your agent: from a file, or from runs',
    details:
      'A line of the file is {"skill": …, "args": {…}, "expected": …} as JSON; without "expected" only the rules decide. FILE - is standard input. A run is durable (svc call --detach) and your own, or of a caller who has consented (svc consent).',
    examples: [
      ['From a file', 'svc datasets create librarian questions --file questions.jsonl'],
      ['A run whose result is right', 'svc datasets create librarian questions --run run_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 --expect-result'],
    ],
    arguments: { agent: 'AGENT', dataset: 'DATASET' },
    options: () => ({
      file: Option.String('--file', { description: 'JSON, an example a line' }),
      runs: Option.Array('--run', [], { description: 'a run, repeatable' }),
      expectResult: Option.Boolean('--expect-result', false, { description: 'the result of each run is what is right' }),
    }),
    run: async ({ agent, dataset, file, runs, expectResult }, { client, context }) => {
      if ((file === undefined) === (runs.length === 0)) throw new UsageError('Give either --file or --run.');
      const items = file === undefined ? runs.map((run_id) => ({ run_id, expect_result: expectResult })) : await examplesIn(file, context.stdin);
      const added: DatasetItemOut[] = [];
      for (let at = 0; at < items.length; at += BATCH) {
        const body = { items: items.slice(at, at + BATCH) };
        added.push(...(await client.evaluations.addItems({ params: { name: agent, dataset }, body })).items);
      }
      return added;
    },
    lines: (added) => [`${added.length} added.`],
    hint: (_, { agent, dataset }) => `Evaluate the live version with: svc eval ${dataset} --agent ${agent}`,
  }),
  command('datasets get', {
    about: 'print the examples of a dataset, one a line, as svc datasets create reads them',
    examples: [['Into a file', 'svc datasets get librarian questions > questions.jsonl']],
    arguments: { agent: 'AGENT', dataset: 'DATASET' },
    route: 'evaluations.items',
    send: ({ agent, dataset }) => ({ params: { name: agent, dataset } }),
    rows: () => Infinity,
    page: 200,
    json: ({ items }) => items,
    aboutJson: 'print JSON, with ids',
    lines: ({ items }) => items.map(({ skill, args, ...more }) => JSON.stringify({ skill, args, ...('expected' in more && { expected: more.expected }) })),
  }),
  command('datasets delete', {
    about: 'delete a dataset of your agent, or one example of it',
    examples: [
      ['All of it', 'svc datasets delete librarian questions'],
      ['One example, by the id that --json shows', 'svc datasets delete librarian questions --item itm_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11'],
    ],
    arguments: { agent: 'AGENT', dataset: 'DATASET' },
    options: () => ({ item: Option.String('--item', { description: 'only this example' }) }),
    route: ({ item }) => (item === undefined ? 'evaluations.deleteDataset' : 'evaluations.deleteItem'),
    send: ({ agent, dataset, item }) => ({ params: { name: agent, dataset, ...(item !== undefined && { item_id: item }) } }),
    json: (_, { agent, dataset, item }) => ({ name: agent, dataset, item_id: item ?? null, deleted: true }),
    lines: () => ['Deleted.'],
  }),
];
