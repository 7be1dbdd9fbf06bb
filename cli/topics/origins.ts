// Origins whose web pages may call an agent.
import { Option } from 'clipanion';
import type { z } from 'zod';
import type { AllowedOriginsOut } from '#contract/agents/allowed-origins.ts';
import { UsageError } from '../lib/errors.ts';
import { command } from '../lib/command.ts';
import { plain } from '../lib/output.ts';

const DEFAULTS = { any: 'Any public origin (the default of a public agent).', none: 'No page of another origin (the default of an unlisted agent).' };

export const commands = [
  command('origins list', {
    about: 'list the origins whose web pages may call your agent',
    examples: [['The project in this folder', 'svc origins list']],
    ofProject: true,
    route: 'allowedOrigins.get',
    send: ({ agent }) => ({ params: { name: agent } }),
    lines: originLines,
    hint: (_, { agent }) => `Change them with: svc origins set ${agent} ORIGIN ...`,
  }),
  command('origins set', {
    about: 'set the origins whose web pages may call your agent',
    details:
      'The list replaces the one before and holds from the next request on. Pages send no cookies: one that needs a caller sends a bearer token. Without a list, pages of every public origin call a public agent, and none calls an unlisted one. Pages of localhost and of private networks call only when they are listed.',
    examples: [
      ['A page of yours', 'svc origins set reporter https://app.example.com'],
      ['No page of another origin', 'svc origins set reporter --none'],
      ['As svc.yaml says, else the default', 'svc origins set reporter --default'],
    ],
    arguments: { agent: 'AGENT' },
    options: () => ({
      origins: Option.Rest({ name: 'ORIGIN' }),
      none: Option.Boolean('--none', false, { description: 'no page of another origin' }),
      default: Option.Boolean('--default', false, { description: 'remove the list' }),
    }),
    route: 'allowedOrigins.set',
    send: ({ agent, origins, none, default: byDefault }) => {
      if ([origins.length > 0, none, byDefault].filter(Boolean).length !== 1) throw new UsageError('Give origins, --none or --default.');
      return { params: { name: agent }, body: { allowed_origins: byDefault ? null : origins } };
    },
    lines: originLines,
  }),
];

function originLines({ allowed_origins, declared, effective }: z.infer<typeof AllowedOriginsOut>): string[] {
  if (effective !== 'listed') return [DEFAULTS[effective]];
  const listed = allowed_origins ?? declared ?? [];
  const from = allowed_origins === null ? 'of svc.yaml' : 'set by the owner';
  return listed.length === 0 ? [`No page of another origin (${from}).`] : listed.map((one) => plain(one));
}
