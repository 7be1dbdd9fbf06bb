// The egress proxy, a guest's only connection to the outside: an HTTP proxy (CONNECT and absolute-form)
// behind one channel service, one policy per guest.
import { createServer, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import { connect as secure } from 'node:tls';
import { foldedName, HEADER, isWhereFrom } from '#contract/wire/headers.ts';
import { isForAgents } from '#contract/wire/host-owner.ts';
import { EgressRefused, openTarget } from '#drivers/outbound/connect.ts';
import { resolveHost, type Lookup } from '#drivers/outbound/lookup.ts';
import { splitAuthority } from '#drivers/outbound/names.ts';
import { createDatabaseGate } from './database.ts';
import { databaseAuthority } from '../guest/database.ts';
import type { BoundDatabase, Injection } from '#drivers/runtime/port.ts';
import { join } from './join.ts';
import { OpenConnections } from './open-connections.ts';
import { hostBehind, injectionsFor, secured, withInjected } from './inject.ts';
import { Masks } from '#drivers/outbound/masks.ts';
import { withoutEncoding, injectedValues, maskedAnswer } from './masked.ts';
import { ClientTokens, credentialsIn } from './setup-credentials.ts';
import type { Verdict } from './questions.ts';
import { decide, isDeclaredService, portOf, serviceAddress, type Decision, type EgressConfiguration, type EgressPolicy } from './policy.ts';

export interface EgressOptions {
  policy: EgressPolicy;
  configuration: EgressConfiguration;
  /** Which instance it is, for the control plane. */
  guest?: string;
  /** Nothing outside, whatever the policy allows. */
  denyExternal?: boolean;
  /**
   * Asks the platform before each connection to the outside, and repeatedly while it is open. Absent: the
   * proxy asks nothing.
   */
  ask?: (target: { host: string; port: number }) => Promise<Verdict>;
  /** Between two questions about what is open, and how long it stays open without an answer. */
  askAgainMs?: number;
  /** Of what `denyExternal` refused. */
  onDenied?: (target: { host: string; port: number }) => void;
  /** One line per refusal. */
  onRefusal: (line: string) => void;
  lookup?: Lookup;
  /** Headers that the proxy adds. */
  inject?: readonly Injection[];
  /**
   * Reached by the name `databaseAuthority`; they belong to the platform, whatever the policy says of the
   * outside.
   */
  databases?: readonly BoundDatabase[];
  /** Opens what callers set and the guest passes on. */
  setupKey?: Uint8Array;
  /**
   * Where hosts with injected headers speak TLS (443), and whom they are trusted by beside Node's own
   * authorities.
   */
  injectTls?: { port?: number; ca?: string };
  /** Connections open at once, waiting ones included. */
  maxConnections?: number;
  connectTimeoutMs?: number;
}

export interface EgressProxy {
  /** Takes one stream a guest opened to the service `egress`. */
  handle(stream: Duplex): void;
  /** From now on; what is open to the outside ends. */
  denyExternal(denied: boolean): void;
  /** Ends every connection. */
  close(): void;
  readonly open: number;
}

type Allowed = Extract<Decision, { allowed: true }>;

const hopByHop = ['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

export function createEgressProxy(options: EgressOptions): EgressProxy {
  const streams = new Set<Duplex>();
  const maxConnections = options.maxConnections ?? 64;
  let forwarding = 0;
  // The server never listens: Node's own parser reads what the guest sends, with its limits on headers and
  // time.
  const server: Server = createServer({ maxHeaderSize: 49_152, headersTimeout: 20_000, requestTimeout: 0, keepAliveTimeout: 60_000 });
  server.on('connect', (request, stream, head) => void tunnel(request, stream, head));
  server.on('request', (request, response) => {
    // Requests on one connection do not wait for each other, and each opens one of its own to where it leads.
    if (forwarding >= maxConnections) return busy(request, response);
    forwarding += 1;
    response.once('close', () => (forwarding -= 1));
    void forward(request, response, targetOf(request));
  });
  server.on('clientError', (_error, stream) => stream.destroy());
  const gate = createDatabaseGate({
    databases: options.databases ?? [],
    dial: ({ host, port }) => openTarget({ host, port, mayBeInternal: true }, options.lookup ?? resolveHost, options.connectTimeoutMs ?? 15_000),
    onRefusal: options.onRefusal,
    ...(options.injectTls?.ca !== undefined && { ca: options.injectTls.ca }),
  });
  /** Tunnels to places where host or path decides: what is in them is read as requests of their own. */
  const tunnelled = new WeakMap<Duplex, string>();

  function targetOf(request: IncomingMessage): URL | undefined {
    const address = request.url ?? '';
    const authority = tunnelled.get(request.socket);
    if (authority === undefined) return URL.canParse(address) ? new URL(address) : undefined;
    const whole = `http://${authority}${address}`;
    return address.startsWith('/') && URL.canParse(whole) ? new URL(whole) : undefined;
  }

  function decided(authority: string, defaultPort: number): Allowed {
    const wanted = splitAuthority(authority, defaultPort);
    if (wanted === undefined) throw new EgressRefused(403, 'The proxy request names no valid host and port.');
    const behind = hostBehind(wanted.host);
    if (behind !== undefined) return injecting(behind, wanted.port);
    const decision = decide(options.policy, options.configuration, wanted.host, wanted.port);
    if (!decision.allowed) throw new EgressRefused(403, decision.reason);
    return decision;
  }

  /**
   * The owner named the host with the secret: that is its permission, too. An internal service the agent must
   * declare as ever.
   */
  function injecting(name: string, port: number): Allowed {
    const inject = { name, headers: injectionsFor(options.inject ?? [], name, port, options.setupKey !== undefined) };
    return { ...injectTarget(name, options.injectTls?.port ?? 443), inject };
  }

  function injectTarget(name: string, securePort: number): Allowed {
    const service = isDeclaredService(options.policy, name) ? serviceAddress(options.configuration, name, securePort) : undefined;
    if (service) return { allowed: true, ...service, mayBeInternal: true, readInside: true };
    const trusted = options.configuration.trustedHosts?.includes(name) ?? false;
    return { allowed: true, host: name, port: securePort, mayBeInternal: trusted, readInside: true, outside: true };
  }

  const clientTokens = new ClientTokens(async (host, port, tls) => {
    const target = injectTarget(host, options.injectTls?.port ?? port);
    return secured(await open(target), host, options.injectTls?.ca, options.connectTimeoutMs ?? 15_000, tls);
  });

  let denied = options.denyExternal === true;
  const outside = new OpenConnections(options);

  /** Every connection out is opened here. */
  async function open(target: Allowed): Promise<Socket> {
    if (target.outside) {
      refuseOutside(target);
      const verdict = await options.ask?.({ host: target.host, port: target.port });
      if (verdict?.allowed === false) throw new EgressRefused(403, verdict.reason);
    }
    const socket = await openTarget(target, options.lookup ?? resolveHost, options.connectTimeoutMs ?? 15_000);
    if (!target.outside) return socket;
    // It may have been denied while the name was looked up.
    if (denied) socket.destroy();
    refuseOutside(target);
    outside.add(socket, target);
    return socket;
  }

  function refuseOutside({ host, port }: Allowed): void {
    if (!denied) return;
    options.onDenied?.({ host, port });
    throw new EgressRefused(
      403,
      `${host}:${port} is refused: the account lets its agents reach nothing outside the platform (policy_denied: deny_external_network).`,
    );
  }

  /** The status and sentence for a failed opening; refusals are logged once. */
  function explain(error: unknown): { status: number; sentence: string } {
    if (!(error instanceof EgressRefused)) return { status: 502, sentence: 'The connection failed.' };
    options.onRefusal(`egress: ${error.message}`);
    return { status: error.status, sentence: error.message };
  }

  async function tunnel(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    stream.on('error', () => stream.destroy());
    try {
      // Each would add a reader to the same stream, and every byte would go to all of them.
      if (tunnelled.has(stream)) throw new EgressRefused(403, 'A tunnel inside a tunnel is refused: open a connection of its own.');
      if (request.url === databaseAuthority && (options.databases ?? []).length > 0) {
        stream.write('HTTP/1.1 200 Connection established\r\n\r\n');
        if (head.length > 0) stream.unshift(head);
        return gate.handle(stream);
      }
      const target = decided(request.url ?? '', 443);
      if (target.readInside === true) {
        tunnelled.set(stream, request.url ?? '');
        stream.write('HTTP/1.1 200 Connection established\r\n\r\n');
        if (head.length > 0) stream.unshift(head);
        return void server.emit('connection', stream);
      }
      const upstream = await open(target);
      if (stream.destroyed) return void upstream.destroy();
      stream.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) upstream.write(head);
      join(stream, upstream);
    } catch (error) {
      const { status, sentence } = explain(error);
      const body = `${sentence}\n`;
      endUnread(
        stream,
        `HTTP/1.1 ${status} Refused\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      );
    }
  }

  function busy(request: IncomingMessage, response: ServerResponse): void {
    options.onRefusal(`egress: more than ${maxConnections} requests at once; one was refused`);
    request.resume();
    response.writeHead(503, { 'content-type': 'text/plain' }).end('Too many requests are under way.\n');
  }

  async function forward(request: IncomingMessage, response: ServerResponse, url: URL | undefined): Promise<void> {
    try {
      if (url === undefined || !['http:', 'https:'].includes(url.protocol))
        throw new EgressRefused(403, 'Use this proxy with CONNECT or absolute http:// and https:// addresses.');
      // Its answer is the request itself, with whatever was added to it.
      if (/^(?:TRACE|TRACK)$/i.test(request.method ?? '')) throw new EgressRefused(403, `${request.method} is refused: agents send no such request.`);
      const target = decided(url.host, portOf(url));
      if (target.byPath === true && (url.protocol !== 'http:' || !isForAgents(request.method ?? '', url.pathname)))
        throw new EgressRefused(
          403,
          `${request.method} ${url.host}${url.pathname} is refused: agents reach the run context and granted workspaces of the platform only.`,
        );
      const given = target.inject && credentialsIn(request.headers, target.inject.name, options.setupKey, Date.now());
      // Neither the agent's owner nor the caller named this host.
      if (target.inject && !given) injectionsFor(options.inject ?? [], target.inject.name, 80);
      const path = `${url.pathname}${url.search}`;
      const written = given && (await clientTokens.write(path, endToEnd(request.headers), given));
      const masks =
        target.inject && new Masks(injectedValues(target.inject.headers, given ?? [], written?.oauth2 && written.headers['authorization']?.slice(7)));
      const upstream = await open(target);
      if (response.destroyed) return void upstream.destroy();
      // Some clients ask a proxy for https:// addresses instead of a tunnel; then the connection is secured
      // from here on.
      const connection = target.inject
        ? await secured(upstream, target.inject.name, options.injectTls?.ca, options.connectTimeoutMs ?? 15_000, written?.tls)
        : url.protocol === 'https:'
          ? secure({ socket: upstream, servername: isIP(url.hostname) > 0 ? '' : url.hostname })
          : upstream;
      if (response.destroyed) return void connection.destroy();
      const headers: IncomingHttpHeaders = {
        ...(target.platform ? fromGuest(endToEnd(request.headers), options.guest) : (written?.headers ?? endToEnd(request.headers))),
        ...framing(request.headers),
        host: target.inject?.name ?? url.host,
        connection: 'close',
      };
      const outgoing = httpRequest({
        createConnection: () => connection,
        method: request.method ?? 'GET',
        path: written?.target ?? path,
        headers: target.inject ? withInjected(withoutEncoding(headers), target.inject.headers) : headers,
      });
      outgoing.on('response', (incoming) => {
        if (incoming.statusCode === 401 && written?.oauth2) clientTokens.drop(written.oauth2);
        if (masks?.empty === false) return void passMasked(incoming, response, masks);
        response.writeHead(incoming.statusCode ?? 502, endToEnd(incoming.headers));
        incoming.pipe(response);
        incoming.on('error', () => response.destroy());
      });
      outgoing.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end('The connection failed.\n')));
      response.on('close', () => outgoing.destroy());
      request.pipe(outgoing);
    } catch (error) {
      const { status, sentence } = explain(error);
      request.resume();
      response.writeHead(status, { 'content-type': 'text/plain' }).end(`${sentence}\n`);
    }
  }

  function passMasked(incoming: IncomingMessage, response: ServerResponse, masks: Masks): void {
    try {
      const { headers, through } = maskedAnswer(incoming, response.req.method ?? 'GET', masks);
      response.writeHead(incoming.statusCode ?? 502, endToEnd(headers));
      pipeline([incoming, ...through, response], () => undefined);
    } catch (error) {
      incoming.destroy();
      const { status, sentence } = explain(error);
      response.writeHead(status, { 'content-type': 'text/plain' }).end(`${sentence}\n`);
    }
  }

  return {
    handle(stream) {
      if (streams.size >= maxConnections) {
        options.onRefusal(`egress: more than ${maxConnections} connections at once; one was refused`);
        stream.on('error', () => undefined);
        return endUnread(stream, 'HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      }
      streams.add(stream);
      stream.once('close', () => streams.delete(stream));
      stream.on('error', () => stream.destroy());
      server.emit('connection', stream);
    },
    denyExternal(on) {
      denied = on;
      if (on) outside.end();
    },
    close() {
      for (const stream of streams) stream.destroy();
      gate.close();
      outside.close();
      server.close();
    },
    get open() {
      return streams.size;
    },
  };
}

/**
 * A body without a length stays framed, whatever the method: bare bytes behind a GET would be read as a
 * request of their own.
 */
function framing(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return headers['transfer-encoding'] === undefined ? {} : { 'transfer-encoding': 'chunked' };
}

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = (headers.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.includes(name) && !named.includes(name)));
}

/** Where a request comes from is not the guest's to say. */
function fromGuest(headers: IncomingHttpHeaders, guest = 'unknown'): IncomingHttpHeaders {
  return { ...Object.fromEntries(Object.entries(headers).filter(([name]) => !isWhereFrom(foldedName(name)))), [HEADER.guest]: guest };
}

/**
 * Says the last word. What still comes is thrown away: unread, the other side's end would never be heard, and
 * the stream stay open for good.
 */
function endUnread(stream: Duplex, text: string): void {
  stream.end(text);
  stream.resume();
}
