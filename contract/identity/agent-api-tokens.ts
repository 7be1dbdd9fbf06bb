// Tokens of one agent, for programs that call it.
import { z } from 'zod';
import type { Group } from '../kit.ts';
import { AgentParams, Instant, MAX_INT32, trimmedText } from '../shared.ts';
import { SkillName } from '../wire/names.ts';

/** Open ones of one agent. */
export const MAX_API_TOKENS = 50;
export const MAX_TOKEN_DAYS = 365;

export const AgentApiTokenCreateIn = z
  .strictObject({
    label: trimmedText(100).meta({ description: 'Which program gets it.', examples: ['nightly report'] }),
    scopes: z.array(SkillName).min(1).max(100).nullable().default(null).meta({ description: 'Skills that it may call; null: all.' }),
    expires_in_days: z.int().min(1).max(MAX_TOKEN_DAYS).default(90),
  })
  .meta({ id: 'AgentApiTokenCreateIn' });

const token = {
  token_id: z.int().min(1).max(MAX_INT32),
  label: z.string(),
  scopes: z.array(z.string()).nullable().meta({ description: 'Skills that it may call; null: all.' }),
  created_at: Instant,
  expires_at: Instant,
  last_used_at: Instant.nullable().meta({ description: 'Exact to a minute; null: never used.' }),
};
export const AgentApiTokenOut = z.strictObject(token).meta({ id: 'AgentApiTokenOut' });
export const AgentApiTokenCreatedOut = z
  .strictObject({ ...token, token: z.string().meta({ description: 'Shown this once. Send it as Authorization: Bearer <token>.' }) })
  .meta({ id: 'AgentApiTokenCreatedOut' });

export const agentApiTokens = {
  apiTokens: {
    at: 'GET /v1/agents/{name}/api-tokens',
    summary: "The agent's open tokens, newest first",
    description: 'Without revoked and expired ones. The tokens themselves are never shown again.',
    scope: 'authenticated',
    params: AgentParams,
    out: z.array(AgentApiTokenOut),
    errors: [401, 403, 404],
  },
  createApiToken: {
    at: 'POST /v1/agents/{name}/api-tokens',
    summary: 'Make a token for a program that calls this agent',
    description: `It calls the agent through the API's invoke and at the agent's own address, and does nothing else. An agent has at most ${MAX_API_TOKENS} open tokens: one more is 400.`,
    scope: 'authenticated',
    params: AgentParams,
    body: AgentApiTokenCreateIn,
    out: AgentApiTokenCreatedOut,
    status: 201,
    errors: [400, 401, 403, 404],
  },
  revokeApiToken: {
    at: 'DELETE /v1/agents/{name}/api-tokens/{token_id}',
    summary: 'Revoke a token at once',
    scope: 'authenticated',
    params: AgentParams.extend({ token_id: z.int().min(1).max(MAX_INT32) }),
    status: 204,
    errors: [401, 403, 404],
  },
} as const satisfies Group;
