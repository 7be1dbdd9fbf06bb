// Databases and their branches made and bound; passwords.
import { Option } from 'clipanion';
import { DATABASE_ACCESSES } from '#contract/states.ts';
import { MAIN_BRANCH } from '#contract/wire/database.ts';
import { oneOf } from '../../lib/api-command.ts';
import { CliError } from '../../lib/errors.ts';
import { command } from '../../lib/command.ts';
import { projectId } from './find.ts';
import { linesOf } from './show.ts';

const branchOption = (): string => Option.String('--branch', MAIN_BRANCH, { description: 'branch of the database' });
const accessOption = (standard: string): string => Option.String('--access', standard, { description: `${DATABASE_ACCESSES.join(', ')}` });

export const commands = [
  command('databases create', {
    about: 'create a database',
    details: 'It is ready some seconds later. An agent can declare one in svc.yaml, too: it is then made with its deployment.',
    examples: [['One for orders', 'svc databases create orders']],
    arguments: { name: 'NAME' },
    route: 'databases.create',
    send: ({ name }) => ({ body: { name } }),
    lines: ({ name, state }) => [`${name}  ${state}`],
    hint: ({ name }) => `It is ready in a moment: svc databases get ${name}. Then give it to an agent: svc databases bind ${name} AGENT`,
  }),
  command('databases branch', {
    about: 'copy a branch of a database into a new one, with what is in it',
    details: 'While it is copied, connections to the branch that it is copied from end, and none are taken.',
    examples: [
      ['The branch main', 'svc databases branch orders preview'],
      ['Another branch', 'svc databases branch orders try --from preview'],
    ],
    arguments: { database: 'DATABASE', name: 'BRANCH' },
    options: () => ({ from: Option.String('--from', MAIN_BRANCH, { description: 'branch that is copied' }) }),
    route: 'databases.createBranch',
    send: async ({ database, name, from }, { client }) => ({ params: { project_id: await projectId(client, database) }, body: { name, from } }),
    lines: linesOf,
  }),
  command('databases bind', {
    about: 'bind a database to an agent: an environment variable has its URL',
    details: 'The live instance of the agent is replaced, so that it has the variable; --no-restart leaves that to the next deployment.',
    examples: [
      ['As DATABASE_URL', 'svc databases bind orders librarian'],
      ['Read only', 'svc databases bind orders reporter --access read_only --variable ORDERS_URL'],
    ],
    arguments: { database: 'DATABASE', agent: 'AGENT' },
    options: () => ({
      branch: branchOption(),
      access: accessOption('owner'),
      variable: Option.String('--variable', 'DATABASE_URL', { description: 'environment variable of the agent' }),
      restart: Option.Boolean('--restart', true, { description: 'replace the live instance' }),
    }),
    route: 'databases.bind',
    send: async ({ database, agent, branch, access, variable, restart }, { client }) => {
      const body = { agent, branch, access: oneOf('--access', access, DATABASE_ACCESSES), variable, restart };
      return { params: { project_id: await projectId(client, database) }, body };
    },
    lines: ({ binding }, { database }) => [`${binding.agent} has ${database} in ${binding.variable}`],
    hint: ({ applies }, { agent }) =>
      applies === 'restarting' ? `Its instance is being replaced: svc logs ${agent}` : 'It applies from its next deployment or restart on.',
  }),
  command('databases unbind', {
    about: 'unbind a database from an agent',
    examples: [['The binding of DATABASE_URL', 'svc databases unbind orders librarian']],
    arguments: { database: 'DATABASE', agent: 'AGENT' },
    options: () => ({
      variable: Option.String('--variable', { description: 'environment variable that it is bound to, where there are several' }),
    }),
    lookup: async ({ database, agent, variable: named }, { client }) => {
      const params = { project_id: await projectId(client, database) };
      const { bindings } = await client.databases.get({ params });
      const matches = bindings.filter((one) => one.agent === agent && (named === undefined || one.variable === named));
      const [binding] = matches;
      if (!binding) throw new CliError(`${agent} is not bound to ${database}: see "svc databases get ${database}".`);
      if (matches.length > 1)
        throw new CliError(`${agent} has ${database} in ${matches.map(({ variable }) => variable).join(' and ')}: name one with --variable.`);
      return { params, binding };
    },
    route: 'databases.unbind',
    send: ({ params, binding }) => ({ params: { ...params, binding_id: binding.binding_id } }),
    json: (_, { binding }) => ({ binding_id: binding.binding_id, unbound: true }),
    hint: (_, { agent, binding }) => `${binding.variable} was removed from ${agent}.`,
  }),
  command('databases rotate', {
    about: 'rotate the password of a database role',
    details: 'Bound agents are restarted with the new password. The previous one stays valid until all of them run with the new one, for one hour at most.',
    examples: [['The owner of main', 'svc databases rotate orders --access owner']],
    arguments: { database: 'DATABASE' },
    options: () => ({ branch: branchOption(), access: accessOption('owner') }),
    route: 'databases.rotate',
    send: async ({ database, branch, access }, { client }) => {
      const body = { branch, access: oneOf('--access', access, DATABASE_ACCESSES) };
      return { params: { project_id: await projectId(client, database) }, body };
    },
    lines: (_, { access }) => [`A new password of ${access} is being set up.`],
    hint: ({ name }) => `How far it is: svc databases events ${name}`,
  }),
  command('databases url', {
    about: 'show the URL of a database with its password; the audit log records it',
    details: 'The URL is for programs that reach the server itself. Agents have one of their own in their variable.',
    examples: [['To read it with psql', 'psql "$(svc databases url orders --access read_only)"']],
    arguments: { database: 'DATABASE' },
    options: () => ({ branch: branchOption(), access: accessOption('read_only') }),
    route: 'databases.reveal',
    send: async ({ database, branch, access }, { client }) => {
      const body = { branch, access: oneOf('--access', access, DATABASE_ACCESSES) };
      return { params: { project_id: await projectId(client, database) }, body };
    },
    lines: ({ url }) => [url],
  }),
];
