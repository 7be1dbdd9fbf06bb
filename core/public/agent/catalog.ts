// The AI Catalog of this platform (https://ai-catalog.io): its public agents, each as an A2A agent and as an
// MCP server.
import type { Ctx } from '../../kernel/ctx.ts';
import { listPublicAgents } from './list.ts';

export const CATALOG_TYPE = 'application/ai-catalog+json';
const PAGE = 100;
/** Entries of one document; GET /v1/public/agents pages through all of them. */
const MOST = 2_000;

interface CatalogEntry {
  identifier: string;
  displayName: string;
  type: string;
  /** Where the document is; or the document itself. */
  url?: string;
  data?: Record<string, unknown>;
  description: string;
  tags: string[];
  capabilities: string[];
  version?: string;
  updatedAt: string;
}

export interface Catalog {
  specVersion: '1.0';
  host: { displayName: string; identifier: string; documentationUrl: string };
  entries: CatalogEntry[];
}

export async function aiCatalog(ctx: Ctx): Promise<Catalog> {
  const { host } = new URL(ctx.config.baseUrl);
  const entries: CatalogEntry[] = [];
  let cursor: string | undefined;
  do {
    const page = await listPublicAgents(ctx, { limit: PAGE, ...(cursor !== undefined && { cursor }) });
    entries.push(...page.items.flatMap((agent) => entriesOf(host.replace(/:.*$/, ''), agent)));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && entries.length < MOST);
  return { specVersion: '1.0', host: { displayName: 'svc', identifier: host, documentationUrl: `${ctx.config.baseUrl}/docs` }, entries };
}

type Listed = Awaited<ReturnType<typeof listPublicAgents>>['items'][number];

/** An entry each: identifiers are unique in a catalog. */
function entriesOf(domain: string, agent: Listed): CatalogEntry[] {
  const about = {
    identifier: `urn:air:${domain}:agent:${agent.name}`,
    displayName: agent.name,
    description: agent.description,
    tags: agent.tags,
    capabilities: agent.skills,
    ...(agent.version !== null && { version: agent.version }),
    updatedAt: agent.updated_at,
  };
  const base = agent.url.replace(/\/$/, '');
  return [
    { ...about, type: 'application/a2a-agent-card+json', url: `${base}/.well-known/agent-card.json` },
    { ...about, identifier: `urn:air:${domain}:mcp:${agent.name}`, type: 'application/mcp-server+json', data: mcpServer(domain, agent, `${base}/mcp`) },
  ];
}

/** As the MCP registry describes a server (server.json). */
function mcpServer(domain: string, { name, description, version }: Listed, url: string): Record<string, unknown> {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: `${domain.split('.').toReversed().join('.')}/${name}`,
    description: description.slice(0, 100),
    version: version ?? '0.0.0',
    remotes: [{ type: 'streamable-http', url }],
  };
}
