// The usual request of an MCP client, tools/call with nothing special about it, answered without the
// package's machinery for a request (a server, a transport and web streams each time), which costs more than
// most skills. Whatever is not exactly that, and whatever does not soon and simply end with a result, is the
// package's; tests hold the two answers equal.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Reads } from './accept.ts';

const VERSION = '2026-07-28';
/** Revisions with a handshake and, here, without sessions. They are answered by a stream of one event. */
const EARLIER: ReadonlySet<unknown> = new Set(['2025-11-25', '2025-06-18', '2025-03-26', undefined]);
const META = 'io.modelcontextprotocol/';
const META_KEYS = [`${META}protocolVersion`, `${META}clientInfo`, `${META}clientCapabilities`];

export interface PlainCall {
  id: string | number;
  name: string;
  args: Record<string, unknown>;
  /** Of a revision of 2025. */
  earlier: boolean;
}

export function carriesJson({ method, headers }: IncomingMessage): boolean {
  return method === 'POST' && /^application\/json\b/i.test(headers['content-type'] ?? '') && headers['content-encoding'] === undefined;
}

/** Decides only by its headers; if true, the body is read here. */
export function looksPlain({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'POST' &&
    headers['content-type'] === 'application/json' &&
    headers['content-encoding'] === undefined &&
    headers['mcp-session-id'] === undefined &&
    (headers['mcp-protocol-version'] === VERSION ? headers['mcp-method'] === 'tools/call' && typeof headers['mcp-name'] === 'string' : isEarlier(headers))
  );
}

function isEarlier(headers: IncomingHttpHeaders): boolean {
  return EARLIER.has(headers['mcp-protocol-version']) && headers['mcp-method'] === undefined && headers['mcp-name'] === undefined;
}

/** Undefined: not plain. */
export function plainCall(body: unknown, headers: IncomingHttpHeaders): PlainCall | undefined {
  if (!hasOnly(body, ['jsonrpc', 'id', 'method', 'params'])) return undefined;
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !(typeof id === 'string' || Number.isSafeInteger(id))) return undefined;
  if (!hasOnly(params, ['name', 'arguments', '_meta'])) return undefined;
  const { name, arguments: args = {}, _meta: meta } = params;
  if (typeof name !== 'string' || !isRecord(args)) return undefined;
  const earlier = headers['mcp-protocol-version'] !== VERSION;
  const usual = earlier ? meta === undefined || hasOnly(meta, []) : name === headers['mcp-name'] && isUsualMeta(meta);
  // Checked above.
  return usual ? { id: id as string | number, name, args, earlier } : undefined;
}

function isUsualMeta(meta: unknown): boolean {
  if (!hasOnly(meta, META_KEYS) || Object.keys(meta).length !== META_KEYS.length) return false;
  const client = meta[`${META}clientInfo`];
  if (meta[`${META}protocolVersion`] !== VERSION || !hasOnly(client, ['name', 'version', 'title'])) return false;
  for (const key in client) if (typeof client[key] !== 'string') return false;
  if (client['name'] === undefined || client['version'] === undefined) return false;
  // What a client can do matters only for what it is asked, which is the package's; it must be readable there
  // all the same.
  const can = meta[`${META}clientCapabilities`];
  if (!hasOnly(can, ['elicitation', 'sampling', 'roots'])) return false;
  for (const key in can) if (!isRecord(can[key])) return false;
  return true;
}

export function answerPlain(
  res: ServerResponse,
  { id, earlier }: PlainCall,
  result: CallToolResult,
  { reads, serverInfo }: { reads: Reads; serverInfo: { name: string; version: string } },
): void {
  if (res.destroyed || res.headersSent) return;
  if (earlier && reads === 'json') return send(res, JSON.stringify({ result, jsonrpc: '2.0', id }), { 'content-type': 'application/json' });
  if (earlier) {
    const event = `event: message\ndata: ${JSON.stringify({ result, jsonrpc: '2.0', id })}\n\n`;
    return send(res, event, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' });
  }
  const meta = { ...result._meta, [`${META}serverInfo`]: serverInfo };
  const body = JSON.stringify({ jsonrpc: '2.0', id, result: { ...result, resultType: 'complete', _meta: meta } });
  send(res, body, { 'content-type': 'application/json' });
}

function send(res: ServerResponse, body: string, headers: Record<string, string>): void {
  res.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) });
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
