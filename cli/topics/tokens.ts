// Tokens with which programs call an agent.
import { Option } from 'clipanion';
import { UsageError } from '../lib/errors.ts';
import { command } from '../lib/command.ts';
import { plain } from '../lib/output.ts';

const minute = (instant: string): string => instant.slice(0, 16).replace('T', ' ');

export const commands = [
  command('tokens list', {
    about: 'list the open tokens of your agent, with their last use',
    examples: [['The project in this folder', 'svc tokens list']],
    ofProject: true,
    route: 'agents.apiTokens',
    send: ({ agent }) => ({ params: { name: agent } }),
    columns: {
      ID: ({ token_id }) => String(token_id),
      LABEL: ({ label }) => plain(label),
      SKILLS: ({ scopes }) => (scopes === null ? 'all' : plain(scopes.join(', '))),
      'EXPIRES (UTC)': ({ expires_at }) => minute(expires_at),
      'LAST USED (UTC)': ({ last_used_at }) => (last_used_at === null ? 'never' : minute(last_used_at)),
    },
    empty: ({ agent }) => `${agent} has no open tokens. Make one with: svc tokens create ${agent} --label PROGRAM`,
  }),
  command('tokens create', {
    about: 'make a token for a program that calls your agent',
    details:
      'The token is printed once, as the only line on standard output. It can call only this agent: send it as Authorization: Bearer TOKEN. Revoke it with svc tokens revoke.',
    examples: [
      ['For one program', 'svc tokens create reporter --label "nightly job"'],
      ['For one skill, for a week, into a file', 'svc tokens create reporter --label ci --skill weekly --days 7 > reporter.token'],
    ],
    arguments: { agent: 'AGENT' },
    options: () => ({
      label: Option.String('--label', { required: true, description: 'which program gets it' }),
      skills: Option.Array('--skill', [], { description: 'a skill that it may call, repeatable; none: all' }),
      days: Option.String('--days', { description: 'how long it holds, 1 to 365; default 90' }),
    }),
    route: 'agents.createApiToken',
    send: ({ agent, label, skills, days: typed }) => {
      const days = typed === undefined ? undefined : Number(typed);
      if (days !== undefined && !Number.isInteger(days)) throw new UsageError(`--days takes a whole number of days, not ${typed}.`);
      return {
        params: { name: agent },
        body: { label, ...(skills.length === 0 ? {} : { scopes: skills }), ...(days === undefined ? {} : { expires_in_days: days }) },
      };
    },
    lines: ({ token }) => [token],
    hint: ({ token_id, expires_at }, { agent }) =>
      `Token ${token_id} holds until ${expires_at.slice(0, 10)}. It is shown this once. Revoke it with: svc tokens revoke ${agent} ${token_id}`,
  }),
  command('tokens revoke', {
    about: 'revoke a token of your agent at once',
    examples: [['By the ID that svc tokens list shows', 'svc tokens revoke reporter 17']],
    arguments: { agent: 'AGENT', id: 'ID' },
    lookup: ({ agent, id }) => {
      const token_id = Number(id);
      if (!Number.isInteger(token_id)) throw new UsageError(`ID is the number that svc tokens list ${agent} shows, not ${id}.`);
      return { token_id };
    },
    route: 'agents.revokeApiToken',
    send: ({ agent, token_id }) => ({ params: { name: agent, token_id } }),
    json: (_, { token_id }) => ({ token_id, revoked: true }),
    hint: (_, { agent, token_id }) => `Token ${token_id} of ${agent} is revoked.`,
  }),
];
