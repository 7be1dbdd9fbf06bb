// What is signed in as the person.
import { Option } from 'clipanion';
import { UsageError } from '../lib/errors.ts';
import { command } from '../lib/command.ts';
import { plain, table } from '../lib/output.ts';

const minute = (instant: string): string => instant.slice(0, 16).replace('T', ' ');

export const commands = [
  command('sign-ins list', {
    about: 'list what is signed in as you: browsers, command line tools, programs, tunnels',
    details:
      'A sign-in of the tool ends 7 days after its last use, and 30 days after the sign-in. End one that you do not know with svc sign-ins revoke. Tokens of agents are listed by svc tokens list.',
    examples: [['All', 'svc sign-ins list']],
    route: 'signIns.list',
    json: ({ items }) => items,
    lines: ({ items }) =>
      table(
        ['ID', 'WHAT', 'REACHES', 'FROM', 'SIGNED IN (UTC)', 'LAST USED', 'ENDS'],
        items.map((one) => [
          one.sign_in_id,
          `${plain(one.name)}${one.organization === null ? '' : ` (${one.organization})`}${one.current ? ' *' : ''}`,
          one.agent === null ? 'everything' : plain(one.agent),
          one.address ?? 'unknown',
          minute(one.signed_in_at),
          one.last_used_at === null ? 'never' : minute(one.last_used_at),
          one.ends_at === null ? 'open' : minute(one.ends_at),
        ]),
      ),
  }),
  command('sign-ins revoke', {
    about: 'end a sign-in, or all others: tokens are refused and connections closed within seconds',
    examples: [
      ['By the ID that svc sign-ins list shows', 'svc sign-ins revoke sgn_0683de7b-db7e-43b0-81e9-9d1825b92f52'],
      ['All but this one', 'svc sign-ins revoke --others'],
    ],
    arguments: { id: '[ID]' },
    options: () => ({ others: Option.Boolean('--others', false, { description: 'all but the one of this tool' }) }),
    route: ({ id }) => (id === undefined ? 'signIns.endOthers' : 'signIns.end'),
    send: ({ id, others }) => {
      if ((id === undefined) !== others) throw new UsageError('Name the ID of one sign-in, as svc sign-ins list shows it, or all but this one with --others.');
      return id === undefined ? {} : { params: { sign_in_id: id } };
    },
    json: (answer, { id }) => (answer ? { ended: answer.ended } : { sign_in_id: id, ended: true }),
    lines: (answer) => (answer ? [`${answer.ended} ${answer.ended === 1 ? 'sign-in' : 'sign-ins'} ended.`] : []),
    hint: (_, { id }) => (id === undefined ? undefined : `Sign-in ${id} is ended.`),
  }),
];
