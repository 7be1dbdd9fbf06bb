// The OpenAPI document of one agent, under its two addresses.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentParams } from '../shared.ts';
import { IntegrationTokenQuery } from '../identity/integration-links.ts';

const document = {
  summary: "The agent's own skills and endpoints as an OpenAPI 3.1 document",
  description:
    'Of the live deployment. Open for a public agent; of an unlisted one its owner and its own tokens read it. A token with scopes sees the skills that it may call.',
  scope: 'optional,agent-token',
  params: AgentParams,
  query: IntegrationTokenQuery,
  out: z.record(z.string(), z.unknown()),
  errors: [401, 403, 404],
} as const;

export const agentOpenApiRoutes = group({
  openapi: { at: 'GET /v1/agents/{name}/openapi.json', ...document },
  apiOpenapi: { at: 'GET /v1/agents/{name}/api/openapi.json', ...document },
});
