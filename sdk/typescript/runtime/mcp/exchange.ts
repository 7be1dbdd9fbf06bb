// One POST of a client of 2025 with requests in it: a server and a transport of the protocol's package, and a
// life that may be longer than its connection. A client of these revisions cancels by a message; a connection
// that breaks is none, so it may come again for a while and read on.
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { WebStandardStreamableHTTPServerTransport, type McpServer, type Server } from '@modelcontextprotocol/server';
import { CancelledByCaller } from '../../authoring/errors.ts';
import { BOTH } from './accept.ts';
import type { Caller } from './caller.ts';
import { RETRY_MS, StreamLog } from './stream-log.ts';
import { failure } from './tools.ts';

type RequestId = string | number;
type Message = Parameters<WebStandardStreamableHTTPServerTransport['send']>[0];

export interface ExchangeParts {
  caller: Caller;
  /** Of its requests. */
  ids: readonly RequestId[];
  keepAliveMs: number;
  /** How long it goes on without a connection; absent: not at all. */
  resumeMs: number | undefined;
  onError: (error: Error) => void;
  /** It is over, and nobody will ask for it. */
  onEnd: () => void;
}

class Transport extends WebStandardStreamableHTTPServerTransport {
  onsent: ((message: Message) => void) | undefined;

  override async send(...sent: Parameters<WebStandardStreamableHTTPServerTransport['send']>): Promise<void> {
    await super.send(...sent);
    this.onsent?.(sent[0]);
  }
}

export class Exchange {
  readonly id: string;
  readonly #parts: ExchangeParts;
  readonly #log: StreamLog | undefined;
  readonly #transport: Transport;
  readonly #left = new AbortController();
  readonly #open: Set<RequestId>;
  readonly #cancelled = new Set<RequestId>();
  #server: McpServer | Server | undefined;
  #patience: NodeJS.Timeout | undefined;
  /** The connection that has its answer. */
  #reader: ServerResponse | undefined;
  #ended = false;

  constructor(parts: ExchangeParts) {
    const { caller, ids, keepAliveMs, resumeMs } = parts;
    this.#parts = parts;
    const { runId } = caller.origin;
    // The platform reads the run, and leads who reads on to its machine.
    this.id = `${runId === undefined ? '' : `${runId}_`}${randomUUID()}`;
    this.#open = new Set(ids);
    this.#log = resumeMs === undefined ? undefined : new StreamLog(this.id);
    this.#transport = new Transport({
      keepAliveMs,
      enableJsonResponse: caller.reads === 'json',
      ...(this.#log && { eventStore: this.#log, retryInterval: RETRY_MS }),
    });
    this.#transport.onerror = parts.onError;
    this.#transport.onsent = (message) => {
      if (!('method' in message) && message.id !== undefined) this.#answered(message.id);
    };
  }

  get owner(): string {
    return this.#parts.caller.owner.key;
  }
  /** A client whose connection broke may come again. */
  get resumes(): boolean {
    return this.#log !== undefined;
  }
  /** Aborts when its connection has broken: perhaps the client comes again. */
  get left(): AbortSignal {
    return this.#left.signal;
  }
  isCancelled(id: RequestId): boolean {
    return this.#cancelled.has(id);
  }

  async serve(server: McpServer | Server, body: unknown, protocolVersion: string | undefined, res: ServerResponse): Promise<void> {
    this.#server = server;
    await server.connect(this.#transport);
    this.#watch(res);
    const version = protocolVersion === undefined ? {} : { 'mcp-protocol-version': protocolVersion };
    // What the package checks of a request was checked, or is said for the client.
    const headers = { 'content-type': 'application/json', accept: BOTH, ...version };
    const response = await this.#transport.handleRequest(new Request('http://agent/mcp', { method: 'POST', headers }), { parsedBody: body });
    if (res.destroyed) return void response.body?.cancel().catch(() => undefined);
    res.writeHead(response.status, Object.fromEntries(response.headers));
    if (!response.ok) this.#end();
    if (response.body) await pipeline(Readable.fromWeb(response.body), res).catch(() => undefined);
    else res.end();
  }

  /** The client comes again. */
  resume(res: ServerResponse, after: number): void {
    clearTimeout(this.#patience);
    this.#watch(res);
    for (const id of this.#open) this.#transport.closeSSEStream(id);
    this.#log?.follow(res, after, this.#parts.keepAliveMs);
    if (this.#ended) this.#log?.end();
  }

  /** The client does not want its answer any more. */
  cancel(id: RequestId): void {
    if (!this.#open.has(id)) return;
    this.#cancelled.add(id);
    this.#transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    // A stream ends without an answer; a body needs one.
    const result = failure(new CancelledByCaller(), this.#parts.caller.requestId);
    if (this.#parts.caller.reads === 'json') void this.#transport.send({ jsonrpc: '2.0', id, result }).catch(this.#parts.onError);
    else this.#answered(id);
  }

  close(): void {
    clearTimeout(this.#patience);
    this.#end();
    this.#log?.end();
    this.#parts.onEnd();
  }

  #answered(id: RequestId): void {
    this.#open.delete(id);
    if (this.#open.size > 0) return;
    this.#end();
    this.#log?.end();
  }

  /** Ends what still works for it. */
  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    // After what is being sent.
    queueMicrotask(() => void this.#server?.close().catch(this.#parts.onError));
  }

  #watch(res: ServerResponse): void {
    this.#reader = res;
    res.once('close', () => {
      if (this.#reader !== res) return;
      if (this.#ended && res.writableFinished) return this.#parts.onEnd();
      this.#left.abort();
      const { resumeMs } = this.#parts;
      if (resumeMs === undefined) return this.close();
      clearTimeout(this.#patience);
      this.#patience = setTimeout(() => this.close(), resumeMs).unref();
    });
  }
}
