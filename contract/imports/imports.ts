// Agents that run elsewhere, as agents of the registry; and MCP of any agent through the API.
import { z } from 'zod';
import { MAX_VALUE_BYTES } from '../wire/limits.ts';
import { type Group, passthrough } from '../kit.ts';
import { AgentParams, Fault, Instant } from '../shared.ts';
import { IMPORT_PROTOCOLS, VISIBILITIES } from '../states.ts';
import { AgentName } from '../wire/names.ts';
import { AgentAuthIn, Requirement } from './agent-auth.ts';
import { IntegrationTokenQuery } from '../identity/integration-links.ts';

export const AgentImportFacts = z
  .strictObject({
    url: z.string().meta({ description: 'The address given at the import.' }),
    endpoint: z.string().meta({ description: 'Where its calls go.' }),
    protocol: z.enum(IMPORT_PROTOCOLS).meta({ description: 'svc: an agent of another installation of this platform, over A2A.' }),
    protocol_version: z.string(),
    probed_at: Instant.meta({ description: 'When its card was last asked for.' }),
    answered_at: Instant.meta({ description: 'When it last answered with a card that can be used.' }),
    unanswered_since: Instant.nullable().meta({ description: 'Since when it has not; null: it answers.' }),
    failure: Fault.nullable().meta({ description: 'What the last probe found instead of a card.' }),
    changes: z.array(z.string()).meta({ description: 'What its card said differently when it last changed.' }),
    changed_at: Instant.nullable(),
  })
  .meta({ id: 'AgentImportFacts' });

export const AgentImportIn = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .meta({ description: 'Address of the agent, of its A2A card, or of its MCP endpoint.', examples: ['https://agent.example.com'] }),
    name: AgentName.optional().meta({ description: 'In this registry; absent: made from its own name.' }),
    visibility: z.enum(VISIBILITIES).default('unlisted'),
    auth: AgentAuthIn.nullable().default(null).meta({ description: 'A first auth connection, where its card is shown to callers with credentials only.' }),
  })
  .meta({ id: 'AgentImportIn' });

export const AgentImportOut = z
  .strictObject({
    name: z.string(),
    url: z.string().meta({ description: 'Its address on this platform.' }),
    version: z.string(),
    description: z.string(),
    skills: z.array(z.string()),
    visibility: z.enum(VISIBILITIES),
    deploy_id: z.string(),
    import: AgentImportFacts,
    requirements: z.array(Requirement).meta({ description: 'What its card asks of callers.' }),
  })
  .meta({ id: 'AgentImportOut' });

export const agentImports = {
  import: {
    at: 'POST /v1/agents/import',
    summary: 'Import a running agent: of A2A (1.0 or 0.3), an MCP server, or one of another installation',
    description:
      'Its card is fetched now, at most 1 MiB, and again on a schedule. If the owner imports the agent again, the card is fetched again, also from another address.',
    scope: 'authenticated',
    body: AgentImportIn,
    out: AgentImportOut,
    status: 201,
    errors: [400, 401, 402, 403, 409, 429],
    limit: 'create',
  },
  mcp: {
    at: 'POST /v1/agents/{name}/mcp',
    summary: "An agent's skills as tools of MCP (streamable HTTP), as at its own address",
    description:
      'Both eras of the protocol, with their headers: Mcp-Session-Id and Mcp-Param-* pass both ways. Every tool called leaves a receipt. A public agent takes the same without a token at its own address.',
    scope: 'authenticated',
    runs: true,
    agentTokens: true,
    atAgent: '/mcp',
    defers: true,
    params: AgentParams,
    query: IntegrationTokenQuery,
    bodyBytes: MAX_VALUE_BYTES,
    body: z
      .looseObject({ jsonrpc: z.literal('2.0') })
      .meta({ id: 'McpMessage', description: 'A JSON-RPC message.', examples: [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }] }),
    out: passthrough(z.unknown()),
    errors: [400, 401, 402, 403, 404, 409, 413, 502, 503, 504],
  },
} as const satisfies Group;
