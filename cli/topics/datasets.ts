// Datasets: examples that versions of an agent are evaluated on.
import { Option } from 'clipanion';
import { DatasetsAddCommand } from '../commands/datasets/add.ts';
import { command } from '../lib/command.ts';

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
    empty: ({ agent }) => `${agent} has no datasets. Make one with: svc datasets add ${agent} DATASET --file examples.jsonl`,
  }),
  DatasetsAddCommand,
  command('datasets show', {
    about: 'print the examples of a dataset, one a line, as svc datasets add reads them',
    examples: [['Into a file', 'svc datasets show librarian questions > questions.jsonl']],
    arguments: { agent: 'AGENT', dataset: 'DATASET' },
    route: 'evaluations.items',
    send: ({ agent, dataset }) => ({ params: { name: agent, dataset } }),
    rows: () => Infinity,
    page: 200,
    json: ({ items }) => items,
    aboutJson: 'print JSON, with ids',
    lines: ({ items }) => items.map(({ skill, args, ...more }) => JSON.stringify({ skill, args, ...('expected' in more && { expected: more.expected }) })),
  }),
  command('datasets rm', {
    about: 'delete a dataset of your agent, or one example of it',
    examples: [
      ['All of it', 'svc datasets rm librarian questions'],
      ['One example, by the id that --json shows', 'svc datasets rm librarian questions --item itm_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11'],
    ],
    arguments: { agent: 'AGENT', dataset: 'DATASET' },
    options: () => ({ item: Option.String('--item', { description: 'only this example' }) }),
    route: ({ item }) => (item === undefined ? 'evaluations.deleteDataset' : 'evaluations.deleteItem'),
    send: ({ agent, dataset, item }) => ({ params: { name: agent, dataset, ...(item !== undefined && { item_id: item }) } }),
    json: (_, { agent, dataset, item }) => ({ name: agent, dataset, item_id: item ?? null, deleted: true }),
    lines: () => ['Deleted.'],
  }),
];
