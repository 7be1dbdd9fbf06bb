// The read routes of an MCP registry (modelcontextprotocol/registry, v0.1), so that MCP hosts can list this
// installation's public agents.
//
//   GET /v0.1/servers                              search, updated_since, version, limit, cursor
//   GET /v0.1/servers/{name}/versions
//   GET /v0.1/servers/{name}/versions/{version}    `latest`: the one that answers now
import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Ctx } from '#core/kernel/ctx.ts';
import { DomainError } from '#core/kernel/errors.ts';
import { getServer, listServers } from '#core/public/agent/servers.ts';
import type { Front } from '../../server.ts';
import { sendMetadata } from '../identity/platform-resource.ts';

const PREFIX = '/v0.1/servers';
const Query = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(30),
  cursor: z.string().max(500).optional(),
  search: z.string().min(1).max(200).optional(),
  updated_since: z.iso.datetime({ offset: true }).optional(),
  version: z.string().min(1).max(100).optional(),
});

interface Answer {
  status: number;
  body: unknown;
}

export function mcpRegistry(ctx: Pick<Ctx, 'db' | 'config'>): Front {
  return (request, response) => {
    const { method = '', url: address = '/' } = request;
    if ((method !== 'GET' && method !== 'HEAD') || !address.startsWith(PREFIX)) return false;
    const url = URL.parse(address, 'http://registry');
    const rest = url?.pathname.slice(PREFIX.length).replace(/\/$/, '') ?? '';
    if (!url || (rest !== '' && !rest.startsWith('/'))) return false;
    answer(ctx, rest, url.searchParams).then(
      ({ status, body }) => send(response, status, body, method),
      (error: unknown) =>
        error instanceof DomainError
          ? send(response, 400, { error: error.message }, method)
          : send(response, 503, { error: 'the registry cannot answer now: try again in a few seconds' }, method),
    );
    return true;
  };
}

async function answer(ctx: Pick<Ctx, 'db' | 'config'>, rest: string, search: URLSearchParams): Promise<Answer> {
  if (rest === '') {
    const query = Query.safeParse(Object.fromEntries(search));
    if (!query.success) return { status: 400, body: { error: z.prettifyError(query.error) } };
    const { updated_since: since, ...more } = query.data;
    const { items, next_cursor } = await listServers(ctx, { ...more, ...(since !== undefined && { updatedSince: new Date(since) }) });
    return { status: 200, body: { servers: items, metadata: { count: items.length, ...(next_cursor !== null && { nextCursor: next_cursor }) } } };
  }
  const [, name = '', version] = /^\/([^/]+)\/versions(?:\/([^/]+))?$/.exec(rest) ?? [];
  const server = await getServer(ctx, { name: decoded(name), version: decoded(version ?? 'latest') });
  if (!server) return { status: 404, body: { error: 'Server not found' } };
  return { status: 200, body: version === undefined ? { servers: [server], metadata: { count: 1 } } : server };
}

function send(response: ServerResponse, status: number, body: unknown, method: string): void {
  const text = JSON.stringify(body);
  if (status === 200) return sendMetadata(response, text, method);
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text), 'access-control-allow-origin': '*' };
  response.writeHead(status, headers).end(method === 'HEAD' ? undefined : text);
}

/**
 * No name of ours is written with what cannot be decoded, or with a NUL, which the database takes in no text.
 */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment).replaceAll('\0', '');
  } catch {
    return '';
  }
}
