// Secrets of an agent.
import { Option } from 'clipanion';
import { UsageError } from '../lib/errors.ts';
import { command } from '../lib/command.ts';
import { plain } from '../lib/output.ts';

const restartOption = (): boolean => Option.Boolean('--restart', false, { description: 'replace the live instance, so that it applies now' });

export const commands = [
  command('secrets list', {
    about: "list an agent's secrets by name; values are never shown again",
    examples: [['The project in this folder', 'svc secrets list']],
    ofProject: true,
    route: 'agentSecrets.list',
    send: ({ agent }) => ({ params: { name: agent } }),
    columns: {
      NAME: ({ key }) => key,
      VERSION: ({ version }) => String(version),
      'SET (UTC)': ({ updated_at }) => updated_at.slice(0, 19).replace('T', ' '),
      'REACHES THE AGENT AS': ({ inject }) => (inject ? plain(`header ${inject.header} to ${inject.host}`) : 'environment'),
    },
    hint: ({ items, missing }, { agent }) => {
      if (missing.length > 0) return `${agent} needs and has not: ${missing.join(', ')}. Set it with: svc secrets set ${agent} ${missing[0]}`;
      return items.length === 0 ? `${agent} has no secrets. Set one with: svc secrets set ${agent} NAME` : undefined;
    },
  }),
  command('secrets set', {
    about: 'set a secret of your agent',
    details:
      'The value is asked for and not shown, or read from @file or @- (standard input); one newline at its end is left out. It applies when the agent next starts: now with --restart. With --host and --header it never enters the agent: requests to http://HOST.svc-inject.internal/… leave as https://HOST/… with the header added.',
    examples: [
      ['Asked for', 'svc secrets set reporter API_TOKEN'],
      ['From another program, in effect at once', 'pass show api-token | svc secrets set reporter API_TOKEN @- --restart'],
      ['Added by the egress proxy', 'svc secrets set reporter API_TOKEN --host api.example.com --header authorization --scheme Bearer'],
    ],
    arguments: { agent: 'AGENT', key: 'NAME', value: '[SOURCE]' },
    options: () => ({
      restart: restartOption(),
      host: Option.String('--host', { description: 'send it only to this host, as a header' }),
      header: Option.String('--header', { description: 'with --host: which header' }),
      scheme: Option.String('--scheme', { description: 'with --host: a word before the value, e.g. Bearer' }),
    }),
    route: 'agentSecrets.upsert',
    send: async ({ agent, key, value, restart, host, header, scheme }, { context }) => {
      if ((host === undefined) !== (header === undefined)) throw new UsageError('--host and --header go together.');
      if (scheme !== undefined && host === undefined) throw new UsageError('--scheme goes with --host and --header.');
      const { secretValue } = await import('../ask/secret.ts');
      const secret = await secretValue(context, key, value);
      const inject = host === undefined || header === undefined ? {} : { inject: { host, header, ...(scheme === undefined ? {} : { scheme }) } };
      return { params: { name: agent }, query: { restart }, body: { key, value: secret, ...inject } };
    },
    hint: ({ key, version, applies }, { agent }) => {
      const when =
        applies === 'restarting' ? `the agent is being started again: svc logs ${agent} -f` : 'it applies when the agent next starts (now: --restart)';
      return `${key} is set, version ${version}; ${when}`;
    },
  }),
  command('secrets delete', {
    about: 'delete a secret of your agent',
    details: 'A running instance keeps its old values until it is replaced: now with --restart.',
    examples: [
      ['By name', 'svc secrets delete reporter API_TOKEN'],
      ['One that leaked, in effect at once', 'svc secrets delete reporter API_TOKEN --restart'],
    ],
    arguments: { agent: 'AGENT', key: 'NAME' },
    options: () => ({ restart: restartOption() }),
    route: 'agentSecrets.delete',
    send: ({ agent, key, restart }) => ({ params: { name: agent, key }, query: { restart } }),
    json: (_, { agent, key }) => ({ agent, name: key, deleted: true }),
    hint: (_, { agent, key, restart }) => (restart ? `${key} is deleted; a live agent is being started again: svc logs ${agent} -f` : `${key} is deleted.`),
  }),
];
