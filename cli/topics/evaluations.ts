// Evaluations of an agent: a dataset run on one of its versions.
import { Option } from 'clipanion';
import { type Answer, command, type Row } from '../lib/command.ts';
import { table } from '../lib/output.ts';

type Evaluations = Answer<'evaluations.evaluations'>;

function rowOf({ evaluation_id, dataset, version, state, passed, items, created_at }: Row<Evaluations>): string[] {
  return [evaluation_id, dataset, version ?? '-', state, `${passed} of ${items}`, created_at.slice(0, 16).replace('T', ' ')];
}

/** One that was cancelled, too, has `items`: their number. */
const listIn = (answer: Evaluations | Answer<'evaluations.cancelEvaluation'>): Evaluations['items'] | undefined =>
  typeof answer.items === 'number' ? undefined : answer.items;

export const commands = [
  command('evaluations', {
    about: 'list the evaluations of your agent, newest first',
    examples: [
      ['The project in this folder', 'svc evaluations'],
      ['One dataset', 'svc evaluations librarian --dataset questions'],
    ],
    ofProject: true,
    options: () => ({
      dataset: Option.String('--dataset', { description: 'only of this dataset' }),
      cancel: Option.String('--cancel', { description: 'cancel this evaluation: no further example starts' }),
    }),
    route: ({ cancel }) => (cancel === undefined ? 'evaluations.evaluations' : 'evaluations.cancelEvaluation'),
    send: ({ agent, dataset, cancel }) =>
      cancel === undefined ? { params: { name: agent }, query: dataset === undefined ? {} : { dataset } } : { params: { name: agent, evaluation_id: cancel } },
    json: (answer) => listIn(answer) ?? answer,
    lines: (answer) => {
      const items = listIn(answer);
      if (!items) return ['Cancelled.'];
      return items.length === 0 ? [] : table(['EVALUATION', 'DATASET', 'VERSION', 'STATE', 'PASSED', 'STARTED (UTC)'], items.map(rowOf));
    },
    hint: (answer, { agent }) => (listIn(answer)?.length === 0 ? `${agent} has no evaluations. Start one with: svc eval DATASET` : undefined),
  }),
];
