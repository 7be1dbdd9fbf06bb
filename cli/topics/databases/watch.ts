// What happens to databases, and their end.
import { Option } from 'clipanion';
import { EXIT } from '../../lib/exit-codes.ts';
import { command } from '../../lib/command.ts';
import { plain } from '../../lib/output.ts';
import { projectId } from './find.ts';

export const commands = [
  command('databases events', {
    about: 'list what happened to a database, newest first',
    examples: [['One database', 'svc databases events orders']],
    arguments: { database: 'DATABASE' },
    route: 'databases.events',
    send: async ({ database }, { client }) => ({ params: { project_id: await projectId(client, database) }, query: { limit: 100 } }),
    columns: {
      'AT (UTC)': ({ at }) => at.slice(0, 19).replace('T', ' '),
      EVENT: ({ kind }) => kind,
      BRANCH: ({ branch }) => branch ?? '',
      AGENT: ({ agent }) => agent ?? '',
      DETAIL: ({ detail }) => detail ?? '',
    },
    hint: ({ next_cursor }) => (next_cursor === null ? undefined : 'These are the newest 100.'),
  }),
  command('databases status', {
    about: 'show whether databases are set up at the moment, and how much waits',
    examples: [['This installation', 'svc databases status']],
    route: 'databases.provisionerStatus',
    lines: ({ served, healthy, heartbeat_at, error, pending, deleting }) => [
      served ? (healthy ? 'The server is reached.' : 'The server was not reached within the last minute.') : 'This installation has no server for databases.',
      ...(heartbeat_at === null ? [] : [`Last reached  ${heartbeat_at}`]),
      ...(error === null ? [] : [`Error         ${plain(error)}`]),
      `Waiting       ${pending} to set up, ${deleting} to drop`,
    ],
    exit: ({ healthy }) => (healthy ? EXIT.ok : EXIT.failure),
  }),
  command('databases delete', {
    about: 'delete a database with all its branches, or one branch; nothing of it can be restored',
    examples: [
      ['All of it', 'svc databases delete orders'],
      ['One branch', 'svc databases delete orders --branch preview'],
    ],
    arguments: { database: 'DATABASE' },
    options: () => ({
      branch: Option.String('--branch', { description: 'only this branch' }),
      force: Option.Boolean('--force', false, { description: 'also while agents are bound to it' }),
    }),
    route: ({ branch }) => (branch === undefined ? 'databases.remove' : 'databases.removeBranch'),
    send: async ({ database, branch, force }, { client }) => {
      const params = { project_id: await projectId(client, database) };
      return { params: branch === undefined ? params : { ...params, branch }, query: { force } };
    },
    json: (_, { database, branch }) => ({ database, branch: branch ?? null, deleted: true }),
    hint: (_, { database, branch }) => `${branch === undefined ? database : `Branch ${branch} of ${database}`} is deleted.`,
  }),
];
