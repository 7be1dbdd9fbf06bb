// Integration links: addresses and tokens with which programs call an agent.
import { Option } from 'clipanion';
import { integer } from '../lib/api-command.ts';
import { UsageError } from '../lib/errors.ts';
import { command } from '../lib/command.ts';
import { plain } from '../lib/output.ts';

const MAX_DAYS = 365;

const minute = (instant: string): string => instant.slice(0, 16).replace('T', ' ');

export const commands = [
  command('links list', {
    about: 'list the open integration links of your agent, with their last use',
    examples: [['The project in this folder', 'svc links list']],
    ofProject: true,
    route: 'agents.integrationLinks',
    send: ({ agent }) => ({ params: { name: agent } }),
    columns: {
      ID: ({ link_id }) => String(link_id),
      LABEL: ({ label }) => plain(label),
      'TOKEN IN': ({ token_placement }) => (token_placement === 'header' ? 'header' : 'address'),
      SKILLS: ({ scopes }) => (scopes === null ? 'all' : plain(scopes.join(', '))),
      'EXPIRES (UTC)': ({ expires_at }) => minute(expires_at),
      'LAST USED (UTC)': ({ last_used_at }) => (last_used_at === null ? 'never' : minute(last_used_at)),
    },
    empty: ({ agent }) => `${agent} has no open links. Make one with: svc links create ${agent}`,
  }),
  command('links create', {
    about: 'make an integration link: addresses and a token for a program that calls your agent',
    details:
      'The token is shown once. It calls this agent and nothing else. It is part of the addresses, which programs keep in histories and logs: with --header it is sent in a header only.',
    examples: [
      ['One skill, a week', 'svc links create reporter --label "workflow builder" --skill weekly --days 7'],
      ['For a program that sends headers', 'svc links create reporter --header'],
    ],
    arguments: { agent: 'AGENT' },
    options: () => ({
      label: Option.String('--label', { description: 'which program gets it' }),
      header: Option.Boolean('--header', false, { description: 'keep the token out of the addresses: it counts in a header only' }),
      // What is the default now.
      url: Option.Boolean('--url', false, { hidden: true }),
      skills: Option.Array('--skill', [], { description: 'a skill that it may call, repeatable; none: all' }),
      days: Option.String('--days', { description: 'how long it holds, 1 to 365; default 30, with --header 90' }),
    }),
    route: 'agents.createIntegrationLink',
    send: ({ agent, label, header, url, skills, days }) => {
      if (url && header) throw new UsageError('Give --header or --url, not both.');
      return {
        params: { name: agent },
        body: {
          token_placement: header ? ('header' as const) : ('url_query' as const),
          ...(label === undefined ? {} : { label }),
          ...(skills.length === 0 ? {} : { scopes: skills }),
          ...(days === undefined ? {} : { expires_in_days: integer('--days', days, { min: 1, max: MAX_DAYS }) }),
        },
      };
    },
    lines: ({ token, openapi_url, invoke_base_url, mcp_url, curl_example }) => [
      `Token    ${token}`,
      `OpenAPI  ${openapi_url}`,
      `Invoke   ${invoke_base_url}`,
      `MCP      ${mcp_url}`,
      `Try      ${curl_example}`,
    ],
    hint: ({ security_notice, link_id }, { agent }) => `\n${security_notice}\nRevoke it with: svc links revoke ${agent} ${link_id}`,
  }),
  command('links revoke', {
    about: 'revoke an integration link of your agent at once',
    examples: [['By the ID that svc links list shows', 'svc links revoke reporter 17']],
    arguments: { agent: 'AGENT', id: 'ID' },
    lookup: ({ agent, id }) => {
      const link_id = Number(id);
      if (!Number.isInteger(link_id)) throw new UsageError(`ID is the number that svc links list ${agent} shows, not ${id}.`);
      return { link_id };
    },
    route: 'agents.revokeIntegrationLink',
    send: ({ agent, link_id }) => ({ params: { name: agent, link_id } }),
    json: (_, { link_id }) => ({ link_id, revoked: true }),
    hint: (_, { agent, link_id }) => `Link ${link_id} of ${agent} is revoked.`,
  }),
];
