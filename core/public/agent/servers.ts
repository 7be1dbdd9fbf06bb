// Listed agents as servers of an MCP registry (its API's server.json): each by the version that answers now,
// for an older one cannot be called.
import type { Knex } from 'knex';
import type { AgentsRow } from '#db/tables.ts';
import { listed } from '../../agents/agent/select.ts';
import { agentUrl } from '../../agents/agent/url.ts';
import type { Ctx, PlatformConfig } from '../../kernel/ctx.ts';
import { decodeCursor, toPage } from '../../kernel/page.ts';

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
const OFFICIAL = 'io.modelcontextprotocol.registry/official';
const MAX_DESCRIPTION = 100;

export interface RegistryServer {
  server: { $schema: string; name: string; description: string; version: string; remotes: { type: 'streamable-http'; url: string }[] };
  _meta: Record<string, { status: 'active'; publishedAt: string; updatedAt: string; statusChangedAt: string; isLatest: true }>;
}

export interface RegistryQuery {
  limit: number;
  cursor?: string | undefined;
  /** A part of the name. */
  search?: string | undefined;
  updatedSince?: Date | undefined;
  /** `latest`, or exactly this one. */
  version?: string | undefined;
}

/** By name. @throws BadRequest for a cursor that is not ours */
export async function listServers(ctx: Pick<Ctx, 'db' | 'config'>, i: RegistryQuery): Promise<{ items: RegistryServer[]; next_cursor: string | null }> {
  const [after] = i.cursor === undefined ? [] : decodeCursor(i.cursor, ['string']);
  const query = listedRows(ctx.db);
  if (after !== undefined) query.andWhere('name', '>', after);
  // The name as it is shown, the domain before it included.
  if (i.search !== undefined) query.andWhereRaw('position(lower(?) in ? || lower(name)) > 0', [i.search, `${namespaceOf(ctx.config)}/`]);
  if (i.updatedSince !== undefined) query.andWhere('updated_at', '>=', i.updatedSince);
  if (i.version !== undefined && i.version !== 'latest') query.andWhere({ version: i.version });
  const rows = await query.orderBy('name').limit(i.limit + 1);
  return toPage(
    rows,
    i.limit,
    (row) => present(ctx.config, row),
    (row) => [row.name],
  );
}

/** Undefined: no such server, or another version answers now. */
export async function getServer(ctx: Pick<Ctx, 'db' | 'config'>, i: { name: string; version: string }): Promise<RegistryServer | undefined> {
  const prefix = `${namespaceOf(ctx.config)}/`;
  if (!i.name.startsWith(prefix)) return undefined;
  const row = await listedRows(ctx.db)
    .andWhere({ name: i.name.slice(prefix.length) })
    .first();
  return row && (i.version === 'latest' || i.version === row.version) ? present(ctx.config, row) : undefined;
}

type Row = Pick<AgentsRow, 'name' | 'description' | 'version' | 'created_at' | 'updated_at'>;

function listedRows(db: Knex) {
  return db('agents').whereRaw(listed).whereNotNull('version').select('name', 'description', 'version', 'created_at', 'updated_at');
}

/** The agents' domain from its end, as the registry's names begin: `com.example.agents`. */
function namespaceOf({ agentsDomain }: PlatformConfig): string {
  return agentsDomain.toLowerCase().replace(/:\d+$/, '').split('.').toReversed().join('.');
}

function present(config: PlatformConfig, row: Row): RegistryServer {
  const { version } = row;
  if (version === null) throw new Error('an agent without a version was listed');
  const updatedAt = row.updated_at.toISOString();
  const description = row.description.trim() || row.name;
  return {
    server: {
      $schema: SCHEMA,
      name: `${namespaceOf(config)}/${row.name}`,
      description: description.length > MAX_DESCRIPTION ? `${description.slice(0, MAX_DESCRIPTION - 1)}…` : description,
      version,
      remotes: [{ type: 'streamable-http', url: `${agentUrl(config, row.name)}/mcp` }],
    },
    _meta: { [OFFICIAL]: { status: 'active', publishedAt: row.created_at.toISOString(), updatedAt, statusChangedAt: updatedAt, isLatest: true } },
  };
}
