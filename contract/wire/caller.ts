// Who calls a skill, by the platform's word: what every way in hands to the agent, beside its key.
import { z } from 'zod';
import { HEADER } from './headers.ts';

const CALLER_KINDS = ['user', 'token', 'agent', 'mail', 'platform'] as const;

const account = {
  sub: z.string().meta({
    description:
      'Never the same for two callers: the account of a person, `member:…` for one who acts for an organization that does not own the agent, `token:…`, `agent:…`, `mail:…` or `platform:…`.',
  }),
  user_id: z.int().positive().nullable().meta({ description: 'Number of the account; null: no person calls, or one as a member of another organization.' }),
  email: z.string().nullable(),
  org_id: z.string().nullable().meta({ description: 'The organization that the person acts for, or that the agent and the person belong to.' }),
  org_slug: z.string().nullable(),
};

export const CallerAccount = z.object(account);
export type CallerAccount = z.infer<typeof CallerAccount>;

/** Members that are not known are ignored: a newer platform may say more. */
export const Caller = z
  .object({
    kind: z
      .enum(CALLER_KINDS)
      .meta({ description: 'token: of this agent, or a link to it. agent: another agent, where it may not speak as the person it works for.' }),
    ...account,
    scopes: z.array(z.string()).meta({ description: 'The scopes that skills of this agent require and this caller has.' }),
    trusted: z.boolean().meta({
      description:
        "The agent's owner answers for this caller: themselves, a member, their token, or whom they gave scopes. Passes where a resolver finds no credential.",
    }),
    agent: z.string().nullable().meta({ description: 'Name of the agent that makes the call; null: none is between.' }),
    on_behalf_of: CallerAccount.nullable().meta({ description: 'With kind agent: the person behind it, who has not called this agent. Null: nobody known.' }),
  })
  .meta({ id: 'Caller' });
export type Caller = z.infer<typeof Caller>;

/** Content of the header x-svc-caller. */
export const CallerClaims = z.object({
  caller: Caller,
  run: z.string().nullable().meta({ description: 'The run that the request begins; null: it begins none.' }),
  exp: z.int().meta({ description: 'Epoch seconds.' }),
});
export type CallerClaims = z.infer<typeof CallerClaims>;

/** Longer than a machine takes to wake; short enough that a copy is soon worth nothing. */
export const CALLER_TTL_SECONDS = 300;

/** In plain words, where a header can carry it: else only the signed header has it. */
export function plainHeaders({ kind, sub, user_id, email, org_id, org_slug, scopes }: Caller): Record<string, string> {
  const headers = {
    [HEADER.userSub]: sub,
    ...(kind === 'user' && { [HEADER.userId]: sub, [HEADER.userNumber]: user_id === null ? null : String(user_id), [HEADER.userEmail]: email }),
    [HEADER.orgId]: org_id,
    [HEADER.orgSlug]: org_slug,
    [HEADER.userScopes]: scopes.length === 0 ? null : scopes.join(' '),
  };
  return Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null && /^[\x20-\x7e]+$/.test(entry[1])));
}

/** All names of plainHeaders, empty: so that nothing else takes the place of what is not said. */
export const EMPTY_CALLER_HEADERS: Readonly<Record<string, string>> = Object.fromEntries(
  [HEADER.userSub, HEADER.userId, HEADER.userNumber, HEADER.userEmail, HEADER.orgId, HEADER.orgSlug, HEADER.userScopes].map((name) => [name, '']),
);
