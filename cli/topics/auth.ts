// Credentials of imported agents: what an agent requires, and what calls of it show.
import { Option } from 'clipanion';
import type { z } from 'zod';
import type { AgentAuthIn } from '#contract/imports/agent-auth.ts';
import { file, given as valueOf } from '../ask/given.ts';
import { integer, oneOf } from '../lib/api-command.ts';
import type { CliContext } from '../lib/context.ts';
import { type Answer, command } from '../lib/command.ts';
import { plain, table } from '../lib/output.ts';

const VALUES = 'A value may be @file or @- (standard input), which keeps it out of the history of the shell. It is sealed, and never shown again.';
const YEAR = 31_536_000;
const COMMANDS = { api_key: 'api-key', bearer: 'bearer', mtls: 'mtls', oauth2: 'oauth-token', oidc: 'oauth-token' } as const;

type Status = Answer<'agentAuth.status'>;

const minute = (instant: string | null): string | undefined => instant?.slice(0, 16).replace('T', ' ');

function requirementRows({ requirements }: Status): string[] {
  const rows = requirements.map((one) => [
    plain(one.scheme_name),
    one.kind ?? 'another',
    plain([one.location, one.name ?? one.scheme].filter((part) => part !== null).join(' ')),
    one.configured ? 'yes' : 'no',
  ]);
  return rows.length === 0 ? [] : table(['ASKED FOR', 'KIND', 'AS', 'CONFIGURED'], rows);
}

function connectionRows({ connections }: Status): string[] {
  const rows = connections.map((one) => [
    String(one.connection_id),
    plain(one.scheme_name),
    one.kind,
    one.state,
    minute(one.expires_at) ?? 'unknown',
    one.refreshes ? (minute(one.refreshed_at) ?? 'not yet') : 'never',
  ]);
  return rows.length === 0 ? [] : table(['ID', 'SCHEME', 'KIND', 'STATE', 'ENDS (UTC)', 'REFRESHED'], rows);
}

function problemsOf({ requirements, connections }: Status, agent: string): string[] {
  const nothing = requirements.length === 0 && connections.length === 0;
  return [
    ...(nothing ? [`${agent} asks nothing of its callers, and no connection is stored.`] : []),
    ...requirements.flatMap(({ configured, kind, scheme_name }) =>
      configured || kind === null ? [] : [`Missing: svc auth ${COMMANDS[kind]} ${agent} --scheme-name ${plain(scheme_name)}`],
    ),
    ...connections.flatMap(({ failure, connection_id }) => (failure ? [`Connection ${connection_id}: ${plain(failure.message)}`] : [])),
  ];
}

interface Connection<O extends object> {
  about: string;
  details: string;
  examples: [about: string, line: string][];
  options: () => O;
  /** @throws UsageError */
  credential(given: O, context: CliContext): Promise<z.input<typeof AgentAuthIn>>;
}

/** A command that stores a credential of one kind. */
function connection<O extends object>(words: string, { about, details, examples, options, credential }: Connection<O>) {
  return command(words, {
    about,
    details,
    examples,
    arguments: { agent: 'AGENT' },
    options: () => ({
      schemeName: Option.String('--scheme-name', { description: "which scheme of the agent's card it is for; default: the first of its kind" }),
      ...options(),
    }),
    route: 'agentAuth.connect',
    send: async (given, { context }) => ({
      params: { name: given.agent },
      body: { ...(await credential(given, context)), ...(given.schemeName !== undefined && { scheme_name: given.schemeName }) },
    }),
    lines: ({ connection_id, scheme_name }) => [`Connection ${connection_id} (${scheme_name}) is stored.`],
    hint: (_, { agent }) => `Every call of ${agent} shows it from now on. See what it needs with: svc auth status ${agent}`,
  });
}

export const commands = [
  command('auth status', {
    about: 'show which credentials an imported agent requires, and which are configured',
    examples: [['By its name', 'svc auth status weather']],
    arguments: { agent: 'AGENT' },
    route: 'agentAuth.status',
    send: ({ agent }) => ({ params: { name: agent } }),
    lines: (status) => {
      const [required, stored] = [requirementRows(status), connectionRows(status)];
      return [...required, ...(required.length === 0 || stored.length === 0 ? [] : ['']), ...stored];
    },
    hint: (status, { agent }) => problemsOf(status, agent).join('\n') || undefined,
  }),
  connection('auth api-key', {
    about: 'connect an imported agent with an API key',
    details: VALUES,
    examples: [
      ['In a header', 'svc auth api-key weather --name x-api-key --value @weather.key'],
      ['In the query', 'svc auth api-key weather --name key --location query --value @weather.key'],
    ],
    options: () => ({
      name: Option.String('--name', { required: true, description: 'of the header or query parameter' }),
      value: Option.String('--value', { required: true, description: 'the key' }),
      location: Option.String('--location', 'header', { description: 'header or query' }),
    }),
    credential: async ({ name, value, location }, context) => ({
      kind: 'api_key',
      location: oneOf('--location', location, ['header', 'query']),
      name,
      value: await valueOf(context, '--value', value),
    }),
  }),
  connection('auth bearer', {
    about: 'connect an imported agent with a token in the Authorization header',
    details: VALUES,
    examples: [['A bearer token', 'svc auth bearer weather --token @weather.token']],
    options: () => ({
      token: Option.String('--token', { required: true, description: 'the token' }),
      scheme: Option.String('--scheme', 'Bearer', { description: 'the word before it' }),
    }),
    credential: async ({ token, scheme }, context) => ({ kind: 'bearer', token: await valueOf(context, '--token', token), scheme }),
  }),
  connection('auth mtls', {
    about: 'connect an imported agent with a client certificate (mutual TLS)',
    details: 'The files are PEM; the key has no passphrase. They are sealed, and never shown again.',
    examples: [['With a private certificate authority', 'svc auth mtls ledger --cert client.pem --key client.key --ca ca.pem']],
    options: () => ({
      cert: Option.String('--cert', { required: true, description: 'file with the certificate' }),
      key: Option.String('--key', { required: true, description: 'file with its private key' }),
      ca: Option.String('--ca', { description: "file with the authority that signed the agent's own certificate; default: the usual ones" }),
    }),
    credential: async ({ cert, key, ca }) => ({
      kind: 'mtls',
      cert: await file('--cert', cert),
      key: await file('--key', key),
      ca: ca === undefined ? null : await file('--ca', ca),
    }),
  }),
  connection('auth oauth-token', {
    about: 'connect an imported agent with an OAuth or OpenID Connect access token',
    details: `With a refresh token and --token-url the platform gets a new token before the old one expires. ${VALUES}`,
    examples: [
      [
        'One that is refreshed',
        'svc auth oauth-token crm --access-token @access --refresh-token @refresh --token-url https://login.example.com/token --client-id svc --expires-in 3600',
      ],
    ],
    options: () => ({
      accessToken: Option.String('--access-token', { required: true, description: 'the token that calls show' }),
      schemeType: Option.String('--scheme-type', 'oauth2', { description: 'oauth2 or oidc' }),
      refreshToken: Option.String('--refresh-token', { description: 'what becomes the next access token' }),
      tokenUrl: Option.String('--token-url', { description: 'where it does' }),
      clientId: Option.String('--client-id', { description: 'whom the tokens were issued to' }),
      clientSecret: Option.String('--client-secret', { description: 'what that client proves itself with' }),
      expiresIn: Option.String('--expires-in', { description: 'seconds that the access token still holds' }),
    }),
    credential: async ({ accessToken, schemeType, refreshToken, tokenUrl, clientId, clientSecret, expiresIn }, context) => ({
      kind: oneOf('--scheme-type', schemeType, ['oauth2', 'oidc']),
      ...(expiresIn !== undefined && { expires_in: integer('--expires-in', expiresIn, { min: 1, max: YEAR }) }),
      ...(refreshToken !== undefined && { refresh_token: await valueOf(context, '--refresh-token', refreshToken) }),
      ...(clientSecret !== undefined && { client_secret: await valueOf(context, '--client-secret', clientSecret) }),
      access_token: await valueOf(context, '--access-token', accessToken),
      ...(tokenUrl !== undefined && { token_url: tokenUrl }),
      ...(clientId !== undefined && { client_id: clientId }),
    }),
  }),
  command('auth delete', {
    about: 'remove an auth connection of an imported agent; calls stop showing it at once',
    examples: [['By the ID that svc auth status shows', 'svc auth delete weather 3']],
    arguments: { agent: 'AGENT', id: 'CONNECTION_ID' },
    route: 'agentAuth.disconnect',
    send: ({ agent, id }) => ({ params: { name: agent, connection_id: integer('CONNECTION_ID', id, { min: 1, max: 999_999_999 }) } }),
    json: (_, { id }) => ({ connection_id: Number(id), deleted: true }),
    hint: (_, { agent, id }) => `Connection ${Number(id)} of ${agent} is removed.`,
  }),
];
