// Which scopes of an agent's skills its owner gave to other accounts.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import { AgentParams, Instant } from '../shared.ts';

export const MAX_CALLER_SCOPES = 1000;

const accountId = z
  .string()
  .regex(/^(?:usr|org)_[\w-]{1,64}$/, 'use the id of an account, usr_… or org_…')
  .meta({ examples: ['usr_0197a3e0-7c1b-7000-8000-000000000001'] });
const Scope = z.string().regex(/^[\x21-\x7e]{1,100}$/, 'use 1 to 100 printable ASCII characters without spaces');

export const CallerScopesIn = z
  .strictObject({
    account: z
      .string()
      .trim()
      .min(1)
      .max(254)
      .meta({
        description: 'Id of an account; or the email address, or the slug of an organization, of one that has called the agent.',
        examples: ['ben@example.com'],
      }),
    scopes: z.array(Scope).min(1).max(100).meta({ description: 'All that the account has from now on, in place of those before.' }),
  })
  .meta({ id: 'CallerScopesIn' });

export const CallerScopesOut = z
  .strictObject({
    account_id: z.string(),
    account: z.string().meta({ description: 'Email address, or slug of the organization.' }),
    scopes: z.array(z.string()),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'CallerScopesOut' });

export const CallerScopesListOut = z
  .strictObject({
    items: z.array(CallerScopesOut),
    declared: z
      .array(z.string())
      .meta({ description: 'What skills of the agent require. Its owner has all of them, and so have members whose role lets them call.' }),
  })
  .meta({ id: 'CallerScopesListOut' });

export const callerScopes = svcGroup({
  list: {
    at: 'GET /v1/agents/{name}/caller-scopes',
    summary: 'Accounts that the owner gave scopes of the agent, last changed first',
    scope: 'authenticated',
    params: AgentParams,
    out: CallerScopesListOut,
    errors: [401, 403, 404],
  },
  give: {
    at: 'POST /v1/agents/{name}/caller-scopes',
    summary: "Give an account scopes that the agent's skills require",
    description: 'It holds from the next call on. 404: there is no such account, or none with this address has called the agent.',
    scope: 'authenticated',
    params: AgentParams,
    body: CallerScopesIn,
    out: CallerScopesOut,
    errors: [401, 403, 404, 409],
  },
  withdraw: {
    at: 'DELETE /v1/agents/{name}/caller-scopes/{account_id}',
    summary: 'Withdraw all of them from an account',
    description: 'It holds from the next call on.',
    scope: 'authenticated',
    params: AgentParams.extend({ account_id: accountId }),
    status: 204,
    errors: [401, 403, 404],
  },
});
