// Clients of 2025: each POST is an exchange of its own, and a GET reads on where the stream of one broke, or
// hears what the session subscribed to.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { classifyInboundRequest, type McpServer, type Server } from '@modelcontextprotocol/server';
import { readsOf } from './accept.ts';
import type { Cancellations } from './cancellations.ts';
import type { Caller } from './caller.ts';
import { Exchange } from './exchange.ts';
import { placeIn } from './stream-log.ts';
import type { Subscriptions } from './subscriptions.ts';

const VERSION = 'mcp-protocol-version';

interface EarlierParts {
  serverFor: (caller: Caller) => McpServer | Server;
  cancellations: Cancellations;
  subscriptions: Subscriptions;
  keepAliveMs: number;
  resumeMs: number;
  onError: (error: Error) => void;
}

export class EarlierClients {
  readonly #parts: EarlierParts;
  readonly #exchanges = new Map<string, Exchange>();

  constructor(parts: EarlierParts) {
    this.#parts = parts;
  }

  /** By the package's own judgement; messages without requests are the package's too. */
  isOf(req: IncomingMessage, body: unknown): boolean {
    return requestsIn(body).length > 0 && classifyInboundRequest({ httpMethod: 'POST', ...standardHeaders(req), body }).kind === 'legacy';
  }

  async post(req: IncomingMessage, res: ServerResponse, caller: Caller, body: unknown): Promise<void> {
    const { serverFor, cancellations, keepAliveMs, resumeMs, onError } = this.#parts;
    const requests = requestsIn(body);
    const ids = requests.map(({ id }) => id);
    const lasts = caller.reads !== 'json' && requests.some(({ method }) => method === 'tools/call');
    const exchange = new Exchange({
      caller,
      ids,
      keepAliveMs,
      resumeMs: lasts ? resumeMs : undefined,
      onError,
      onEnd: () => {
        done.forEach((over) => over());
        this.#exchanges.delete(exchange.id);
      },
    });
    const done = ids.map((id) => cancellations.add(caller, id, () => exchange.cancel(id)));
    if (exchange.resumes) this.#exchanges.set(exchange.id, exchange);
    await exchange.serve(serverFor({ ...caller, exchange }), body, header(req, VERSION), res);
  }

  /** False: there is nothing for this client to read. */
  get(req: IncomingMessage, res: ServerResponse, caller: Caller): boolean {
    const reads = readsOf(req.headers.accept);
    if (reads === undefined) return false;
    const last = header(req, 'last-event-id');
    if (last === undefined) return reads !== 'json' && this.#parts.subscriptions.open(caller, res);
    const place = placeIn(last);
    const exchange = place && this.#exchanges.get(place.id);
    if (!place || exchange?.owner !== caller.owner.key) {
      res.writeHead(400, { 'content-type': 'application/json' });
      const error = { code: -32600, message: 'there is no stream with this event, or its time is over: call again' };
      res.end(JSON.stringify({ jsonrpc: '2.0', error, id: null }));
      return true;
    }
    exchange.resume(res, place.after);
    return true;
  }

  close(): void {
    for (const exchange of this.#exchanges.values()) exchange.close();
  }
}

function requestsIn(body: unknown): { id: string | number; method: string }[] {
  return [body].flat().flatMap((message: unknown) => {
    if (typeof message !== 'object' || message === null || !('id' in message) || !('method' in message)) return [];
    const { id, method } = message;
    return (typeof id === 'string' || typeof id === 'number') && typeof method === 'string' ? [{ id, method }] : [];
  });
}

function standardHeaders(req: IncomingMessage): { protocolVersionHeader?: string; mcpMethodHeader?: string; mcpNameHeader?: string } {
  const [version, method, name] = [header(req, VERSION), header(req, 'mcp-method'), header(req, 'mcp-name')];
  return {
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method }),
    ...(name !== undefined && { mcpNameHeader: name }),
  };
}

function header(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name];
  return typeof value === 'string' ? value : undefined;
}
