// Agents that run elsewhere, made agents of the registry.
import { Option } from 'clipanion';
import type { z } from 'zod';
import type { AgentAuthIn } from '#contract/imports/agent-auth.ts';
import { given as valueOf } from '../ask/given.ts';
import { listing, oneOf } from '../lib/api-command.ts';
import type { CliContext } from '../lib/context.ts';
import { UsageError } from '../lib/errors.ts';
import { command } from '../lib/command.ts';
import { plain } from '../lib/output.ts';

const authOptions = () => ({
  authBearer: Option.String('--auth-bearer', { description: 'a token for the Authorization header' }),
  authApiKey: Option.String('--auth-api-key', { description: 'an API key' }),
  authName: Option.String('--auth-name', { description: 'of the header or query parameter of the key' }),
  authLocation: Option.String('--auth-location', 'header', { description: 'where the key goes: header or query' }),
  authScheme: Option.String('--auth-scheme', 'Bearer', { description: 'the word before the token' }),
});
type Auth = ReturnType<typeof authOptions>;

/** @throws UsageError */
async function authOf(typed: Auth, context: CliContext): Promise<z.input<typeof AgentAuthIn> | undefined> {
  const { authBearer: bearer, authApiKey: key, authName: name } = typed;
  if (bearer !== undefined && key !== undefined) throw new UsageError('Choose one of --auth-bearer and --auth-api-key; add more with svc auth.');
  if (bearer !== undefined) return { kind: 'bearer', token: await valueOf(context, '--auth-bearer', bearer), scheme: typed.authScheme };
  const location = oneOf('--auth-location', typed.authLocation, ['header', 'query']);
  if (key === undefined) return undefined;
  if (name === undefined) throw new UsageError('--auth-api-key needs --auth-name: the header or query parameter that it goes into.');
  return { kind: 'api_key', name, value: await valueOf(context, '--auth-api-key', key), location };
}

export const commands = [
  command('import', {
    about: 'import a running agent: of A2A, an MCP server, or one of another installation',
    details:
      'The agent stays where it is; here it is called, listed and receipted like any other. Import it again to read its card again. --auth-bearer and --auth-api-key store a first credential; further kinds are in svc auth. A value may be @file or @-.',
    examples: [
      ['An A2A agent', 'svc import https://weather.example.com'],
      ['An MCP server, under another name', 'svc import https://tools.example.com/mcp --name tools'],
      ['One that wants an API key', 'svc import https://crm.example.com --auth-api-key @crm.key --auth-name x-api-key'],
    ],
    arguments: { url: 'URL' },
    options: () => ({
      name: Option.String('--name,-n', { description: 'its name here; default: made from its own' }),
      public: Option.Boolean('--public', { description: 'list it in the public registry' }),
      private: Option.Boolean('--private', { description: 'do not list it; the default' }),
      ...authOptions(),
    }),
    route: 'agents.import',
    send: async (given, { context }) => {
      const isPublic = listing(given.public, given.private) ?? false;
      const auth = await authOf(given, context);
      return {
        body: {
          url: /^https?:\/\//.test(given.url) ? given.url : `https://${given.url}`,
          visibility: isPublic ? ('public' as const) : ('unlisted' as const),
          ...(given.name !== undefined && { name: given.name }),
          ...(auth && { auth }),
        },
      };
    },
    lines: (made) => [
      `${made.name} ${made.version} is imported (${made.import.protocol} ${plain(made.import.protocol_version)}).`,
      `Address  ${made.url}`,
      `Skills   ${plain(made.skills.join(', '))}`,
    ],
    hint: ({ name, requirements, skills }, { authBearer, authApiKey }) => {
      const needsCredentials = requirements.length > 0 && authBearer === undefined && authApiKey === undefined;
      const credentials = needsCredentials ? `It asks for credentials. See which, and store them: svc auth status ${name}\n` : '';
      return `${credentials}Call it with: svc call ${name} ${skills[0] ?? 'SKILL'}`;
    },
  }),
];
