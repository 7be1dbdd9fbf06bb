// Who is told that a resource changed. A client of 2025 subscribes by requests, and reads the notices on a
// stream of its session; one of 2026 opens a stream only for that, which is the package's.
import type { ServerResponse } from 'node:http';
import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Caller } from './caller.ts';
import type { OwnResources } from './own-resources.ts';
import { STREAM_HEADERS } from './stream-log.ts';

const MAX_SESSIONS = 1_000;
/** Of one session, or one stream. */
const MAX_URIS = 100;

interface Session {
  uris: Set<string>;
  stream?: ServerResponse;
}

export class Subscriptions {
  readonly #own: OwnResources;
  readonly #keepAliveMs: number;
  readonly #sessions = new Map<string, Session>();

  constructor(own: OwnResources, keepAliveMs: number) {
    this.#own = own;
    this.#keepAliveMs = keepAliveMs;
  }

  serve(server: Server, caller: Caller): void {
    server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
      if (!(await this.#own.isReadable(uri, { auth: caller.auth })))
        throw refusal(`"${uri}" cannot be subscribed to: it is no resource of the agent's own that you can read`);
      const { uris } = this.#sessionOf(caller);
      if (uris.size >= MAX_URIS && !uris.has(uri)) throw refusal(`a session subscribes to ${MAX_URIS} resources at most`);
      uris.add(uri);
      return {};
    });
    server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
      this.#sessions.get(keyOf(caller) ?? '')?.uris.delete(uri);
      return {};
    });
  }

  changed(uri: string): void {
    const message = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } });
    for (const { uris, stream } of this.#sessions.values()) if (uris.has(uri)) stream?.write(`event: message\ndata: ${message}\n\n`);
  }

  /** False: there is no session whose stream it could be. One that the session had before ends. */
  open(caller: Caller, res: ServerResponse): boolean {
    if (keyOf(caller) === undefined) return false;
    const session = this.#sessionOf(caller);
    session.stream?.end();
    session.stream = res;
    const beat = setInterval(() => res.write(': keepalive\n\n'), this.#keepAliveMs).unref();
    res.once('close', () => {
      clearInterval(beat);
      if (session.stream === res) delete session.stream;
    });
    res.writeHead(200, STREAM_HEADERS);
    res.flushHeaders();
    return true;
  }

  /**
   * `subscriptions/listen` of 2026 with the resources that this caller may hear of; another message as it is.
   */
  async allowed(caller: Caller, body: unknown): Promise<unknown> {
    const listen = Listen.safeParse(body);
    if (!listen.success) return body;
    const { params } = listen.data;
    const uris: string[] = [];
    for (const uri of params.notifications.resourceSubscriptions.slice(0, MAX_URIS)) if (await this.#own.isReadable(uri, { auth: caller.auth })) uris.push(uri);
    return { ...listen.data, params: { ...params, notifications: { ...params.notifications, resourceSubscriptions: uris } } };
  }

  close(): void {
    for (const { stream } of this.#sessions.values()) stream?.end();
    this.#sessions.clear();
  }

  /** @throws ProtocolError where the client has none */
  #sessionOf(caller: Caller): Session {
    const key = keyOf(caller);
    if (key === undefined) throw refusal('a subscription belongs to a session: send the header Mcp-Session-Id that initialize gave');
    const session = this.#sessions.get(key) ?? { uris: new Set() };
    // The one that was used last is the last to go.
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
    const [oldest] = this.#sessions;
    if (this.#sessions.size > MAX_SESSIONS && oldest) {
      oldest[1].stream?.end();
      this.#sessions.delete(oldest[0]);
    }
    return session;
  }
}

const Listen = z.looseObject({
  method: z.literal('subscriptions/listen'),
  params: z.looseObject({ notifications: z.looseObject({ resourceSubscriptions: z.array(z.string()) }) }),
});

function keyOf({ owner, session }: Caller): string | undefined {
  return session === undefined ? undefined : JSON.stringify([owner.key, session]);
}

function refusal(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
