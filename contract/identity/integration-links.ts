// Integration links: ready addresses of one agent for another program, with a token of their own.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentParams, Instant, MAX_INT32, trimmedText } from '../shared.ts';
import { TOKEN_PLACEMENTS } from '../states.ts';
import { SkillName } from '../wire/names.ts';
import { MAX_TOKEN_DAYS } from './agent-api-tokens.ts';

/** Open ones of one agent. */
export const MAX_INTEGRATION_LINKS = 50;
/** What is part of an address is seen by more programs, so it holds for a shorter time. */
export const LINK_DAYS = { header: 90, url_query: 30 } as const satisfies Record<(typeof TOKEN_PLACEMENTS)[number], number>;

/** The token of an agent in the query of an address. */
export const INTEGRATION_TOKEN = 'integration_token';
export const IntegrationTokenQuery = z.object({
  [INTEGRATION_TOKEN]: z.string().max(200).nullable().optional().meta({ description: 'Token of a link with token_placement url_query, or of the agent.' }),
});

const TokenPlacement = z.enum(TOKEN_PLACEMENTS).meta({
  id: 'TokenPlacement',
  description: 'header: the token counts only as `Authorization: Bearer`. url_query: also as query `integration_token`, which is part of the addresses.',
});

export const AgentIntegrationLinkCreateIn = z
  .strictObject({
    label: trimmedText(100)
      .default('integration link')
      .meta({ description: 'Which program gets it.', examples: ['workflow builder'] }),
    token_placement: TokenPlacement.default('url_query'),
    scopes: z.array(SkillName).min(1).max(100).nullable().default(null).meta({ description: 'Skills that it may call; null: all.' }),
    expires_in_days: z
      .int()
      .min(1)
      .max(MAX_TOKEN_DAYS)
      .optional()
      .meta({ description: `Default ${LINK_DAYS.url_query}, with header ${LINK_DAYS.header}.` }),
  })
  .meta({ id: 'AgentIntegrationLinkCreateIn' });

const link = {
  link_id: z.int().min(1).max(MAX_INT32),
  label: z.string(),
  token_placement: TokenPlacement,
  scopes: z.array(z.string()).nullable().meta({ description: 'Skills that it may call; null: all.' }),
  created_at: Instant,
  expires_at: Instant,
  last_used_at: Instant.nullable().meta({ description: 'Exact to a minute; null: never used.' }),
  openapi_url: z.string().meta({ description: "The agent's OpenAPI document, for importers." }),
  invoke_base_url: z.string().meta({ description: 'Append `/` and the name of a skill; never holds the token.' }),
  sample_invoke_url: z.string().nullable().meta({ description: 'Address of the first skill that the link may call; null: the agent has not been live.' }),
  mcp_url: z.string().meta({ description: 'Each skill as a tool of MCP.' }),
};

export const AgentIntegrationLinkOut = z.strictObject(link).meta({ id: 'AgentIntegrationLinkOut' });

export const AgentIntegrationLinkCreatedOut = z
  .strictObject({
    ...link,
    token: z.string().meta({ description: 'Shown this once. With url_query, openapi_url, sample_invoke_url and mcp_url hold it too.' }),
    curl_example: z.string().meta({ description: 'For a POSIX shell.' }),
    security_notice: z.string(),
  })
  .meta({ id: 'AgentIntegrationLinkCreatedOut' });

export const integrationLinks = group({
  integrationLinks: {
    at: 'GET /v1/agents/{name}/integration-links',
    summary: "The agent's open integration links, newest first",
    description: 'Without revoked and expired ones, and without their tokens.',
    scope: 'authenticated',
    params: AgentParams,
    out: z.array(AgentIntegrationLinkOut),
    errors: [401, 403, 404],
  },
  createIntegrationLink: {
    at: 'POST /v1/agents/{name}/integration-links',
    summary: 'Make a link for a program that calls this agent',
    description: `Ready addresses and one token, which calls this agent and does nothing else. An agent has at most ${MAX_INTEGRATION_LINKS} open links: one more is 403.`,
    scope: 'authenticated',
    params: AgentParams,
    body: AgentIntegrationLinkCreateIn.nullable().optional(),
    out: AgentIntegrationLinkCreatedOut,
    status: 201,
    errors: [401, 403, 404],
  },
  revokeIntegrationLink: {
    at: 'DELETE /v1/agents/{name}/integration-links/{link_id}',
    summary: 'Revoke a link and its token at once',
    scope: 'authenticated',
    params: AgentParams.extend({ link_id: z.int().min(1).max(MAX_INT32) }),
    status: 204,
    errors: [401, 403, 404],
  },
});
