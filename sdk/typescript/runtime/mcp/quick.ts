// The usual request of an MCP client, tools/call of the newest revision with nothing special about it, answered without the package's machinery for a
// request (a server, a transport and web streams each time), which costs more than most skills. Whatever is not exactly that, and whatever does not
// simply end with a result, is the package's; tests hold the two answers equal.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallToolResult } from '@modelcontextprotocol/server';

const VERSION = '2026-07-28';
const META = 'io.modelcontextprotocol/';
const META_KEYS: ReadonlySet<string> = new Set([`${META}protocolVersion`, `${META}clientInfo`, `${META}clientCapabilities`]);

export interface PlainCall {
  id: string | number;
  name: string;
  args: Record<string, unknown>;
}

/** By its headers alone; only then its body is read here. */
export function looksPlain({ method, headers }: IncomingMessage): boolean {
  const { accept = '' } = headers;
  return (
    method === 'POST' &&
    headers['mcp-protocol-version'] === VERSION &&
    headers['mcp-method'] === 'tools/call' &&
    typeof headers['mcp-name'] === 'string' &&
    headers['content-type'] === 'application/json' &&
    headers['content-encoding'] === undefined &&
    headers['mcp-session-id'] === undefined &&
    accept.includes('application/json') &&
    accept.includes('text/event-stream')
  );
}

/** Undefined: not plain. */
export function plainCall(body: unknown, name: unknown): PlainCall | undefined {
  if (!hasOnly(body, ['jsonrpc', 'id', 'method', 'params'])) return undefined;
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !(typeof id === 'string' || Number.isSafeInteger(id))) return undefined;
  if (!hasOnly(params, ['name', 'arguments', '_meta']) || params['name'] !== name || typeof name !== 'string') return undefined;
  const { arguments: args = {}, _meta: meta } = params;
  if (!isRecord(args) || !isRecord(meta) || Object.keys(meta).length !== META_KEYS.size) return undefined;
  for (const key in meta) if (!META_KEYS.has(key)) return undefined;
  const client = meta[`${META}clientInfo`];
  if (meta[`${META}protocolVersion`] !== VERSION || !hasOnly(client, ['name', 'version', 'title'])) return undefined;
  for (const key in client) if (typeof client[key] !== 'string') return undefined;
  if (client['name'] === undefined || client['version'] === undefined) return undefined;
  // What a client can do matters only for what it is asked, which is the package's; it must be readable there all the same.
  const can = meta[`${META}clientCapabilities`];
  if (!hasOnly(can, ['elicitation', 'sampling', 'roots'])) return undefined;
  for (const key in can) if (!isRecord(can[key])) return undefined;
  // Checked above.
  return { id: id as string | number, name, args };
}

export function answerPlain(res: ServerResponse, id: string | number, result: CallToolResult, serverInfo: { name: string; version: string }): void {
  if (res.destroyed || res.headersSent) return;
  const meta = { ...result._meta, [`${META}serverInfo`]: serverInfo };
  const body = JSON.stringify({ jsonrpc: '2.0', id, result: { ...result, resultType: 'complete', _meta: meta } });
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  res.end(body);
}

function hasOnly(value: unknown, keys: readonly string[]): value is Record<string, unknown> {
  if (!isRecord(value)) return false;
  for (const key in value) if (!keys.includes(key)) return false;
  return true;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
