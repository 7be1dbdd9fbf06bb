// Which owners may keep your runs as examples.
import { Option } from 'clipanion';
import { type Answer, command } from '../lib/command.ts';
import { table } from '../lib/output.ts';

type Consents = Answer<'evaluations.consents'>;

/** Undefined: of a change. */
const listIn = (answer: Consents | Answer<'evaluations.consent'>): Consents['items'] | undefined => (typeof answer === 'object' ? answer.items : undefined);

export const commands = [
  command('consent', {
    about: "allow an agent's owner to keep your runs as examples; list permissions",
    details: 'Without AGENT it lists your consents. When you withdraw a consent, the examples kept under it are deleted.',
    examples: [
      ['List your permissions', 'svc consent'],
      ['Allow one agent', 'svc consent librarian'],
      ['Withdraw the permission', 'svc consent librarian --withdraw'],
    ],
    arguments: { agent: '[AGENT]' },
    options: () => ({ withdraw: Option.Boolean('--withdraw', false, { description: 'withdraw the consent' }) }),
    route: ({ agent, withdraw }) => (agent === undefined ? 'evaluations.consents' : withdraw ? 'evaluations.withdrawConsent' : 'evaluations.consent'),
    send: ({ agent }) => (agent === undefined ? {} : { params: { agent } }),
    json: (answer, { agent, withdraw }) => listIn(answer) ?? { agent, consent: !withdraw },
    lines: (answer, { agent, withdraw }) => {
      const items = listIn(answer);
      if (!items) return [withdraw ? `The owner of ${agent} may no longer keep your runs.` : `The owner of ${agent} may keep your runs as examples.`];
      const rows = items.map(({ agent: name, created_at }) => [name, created_at.slice(0, 10)]);
      return rows.length === 0 ? [] : table(['AGENT', 'SINCE'], rows);
    },
    hint: (answer) => (listIn(answer)?.length === 0 ? 'No owner may keep your runs.' : undefined),
  }),
];
