// The tunnel of a dev box: a WebSocket whose binary messages are one connection to an sshd in the box. Its
// token comes as a header, never in the address, and opens only this box; inside, SSH takes the one key that
// the token was made for.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
// The server's half of RFC 6455 with back-pressure; Node has only the client's half.
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws';
import { TUNNEL_PATH, TUNNEL_PROTOCOL } from '#contract/identity/dev-box.ts';
import { AGENT_SLUG } from '#contract/wire/names.ts';
import type { HostOwner } from '#contract/wire/host-owner.ts';
import { readyMachine } from '#core/identity/dev-box/machine.ts';
import { markTunnels, type TunnelSession, tunnelSession } from '#core/identity/dev-box/session.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { TooManyRequests, Unauthorized, Unavailable } from '#core/kernel/errors.ts';
import type { BoxGreeting, BoxRuntime } from '#drivers/box/port.ts';
import { SandboxError } from '#drivers/sandbox/port.ts';
import { rechecksOf } from './http/recheck.ts';
import { requestId } from './http/request-id.ts';
import { notAWebSocket, refuseUpgrade } from './ingress/upgrade.ts';
import type { UpgradeFront } from './server.ts';

export interface TunnelOptions {
  ctx: Ctx;
  ownerOf: (host: string | undefined) => HostOwner;
  log: Logger;
  limits?: Partial<TunnelLimits>;
}

export interface TunnelLimits {
  /** Open tunnels of one box. */
  connections: number;
  /** Of both directions of one tunnel together. */
  bytes: number;
  /**
   * A tunnel without a byte for so long is closed; SSH clients send keep-alives well before. Milliseconds.
   */
  idleMs: number;
  ageMs: number;
}

const usual: TunnelLimits = { connections: 48, bytes: 64 * 2 ** 30, idleMs: 15 * 60_000, ageMs: 24 * 3_600_000 };
const PATH = new RegExp(`^${TUNNEL_PATH.replace('{name}', `(${AGENT_SLUG})`)}$`);
const PING_MS = 30_000;
const MARK_MS = 60_000;
const CLOSING_MS = 1_000;
const MAX_MESSAGE = 1_048_576;

export function createTunnels({ ctx, ownerOf, log, limits: given }: TunnelOptions): UpgradeFront {
  const limits = { ...usual, ...given };
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MAX_MESSAGE, handleProtocols: () => TUNNEL_PROTOCOL });
  const open = new Map<string, number>();
  /** Sessions with an open tunnel, for who looks at what is signed in as them. */
  const inUse = new Map<object, string>();
  let marking: NodeJS.Timeout | undefined;

  async function admit(request: IncomingMessage, name: string): Promise<{ session: TunnelSession; boxes: BoxRuntime }> {
    if (request.headers.upgrade?.toLowerCase() !== 'websocket' || request.method !== 'GET') throw notAWebSocket();
    const token = /^bearer\s+(svc_box_[A-Za-z0-9_-]{43})\s*$/i.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) throw new Unauthorized('unauthenticated', 'Send the access token of POST /v1/agents/{name}/ssh as `Authorization: Bearer …`');
    const session = await tunnelSession(ctx, { name, token });
    const { boxes } = ctx.drivers;
    if (!boxes) throw new Unavailable('sandbox_unavailable', 'This installation has no host for dev boxes');
    if ((open.get(session.box_id) ?? 0) >= limits.connections)
      throw new TooManyRequests('rate_limited', `A dev box has at most ${limits.connections} connections at a time: close some`);
    return { session, boxes };
  }

  async function take(request: IncomingMessage, socket: Duplex, head: Buffer, name: string): Promise<void> {
    const id = requestId(request.headers['x-request-id']);
    try {
      const { session, boxes } = await admit(request, name);
      if (socket.destroyed) return;
      open.set(session.box_id, (open.get(session.box_id) ?? 0) + 1);
      socket.once('close', () => leave(session.box_id));
      server.handleUpgrade(request, socket, head, (client) => {
        watchRights(client, session);
        carry(client, session, boxes).catch((error: unknown) => {
          log.warn({ err: error, request_id: id, box_id: session.box_id }, 'a tunnel broke');
          client.terminate();
        });
      });
    } catch (error) {
      refuseUpgrade(socket, error, id);
    }
  }

  /** It ends when who opened it may not any more. */
  function watchRights(client: WebSocket, { claim, session_id }: TunnelSession): void {
    const leaveRechecks = rechecksOf(ctx.db).enter(claim, (why) => {
      client.close(1008, why.message.slice(0, 120));
      // SSH inside goes on sending; a client that does not answer the closing would hold the box open.
      client.pause();
      setTimeout(() => client.terminate(), CLOSING_MS).unref();
    });
    mark([session_id]);
    inUse.set(client, session_id);
    marking ??= setInterval(() => mark([...new Set(inUse.values())]), MARK_MS).unref();
    client.once('close', () => {
      leaveRechecks();
      inUse.delete(client);
      if (inUse.size > 0) return;
      clearInterval(marking);
      marking = undefined;
    });
  }

  function mark(sessions: readonly string[]): void {
    markTunnels(ctx.db, sessions, ctx.clock()).catch((error: unknown) => log.warn({ err: error }, 'tunnels in use could not be marked'));
  }

  function leave(boxId: string): void {
    const left = (open.get(boxId) ?? 1) - 1;
    if (left > 0) open.set(boxId, left);
    else open.delete(boxId);
  }

  async function carry(client: WebSocket, session: TunnelSession, boxes: BoxRuntime): Promise<void> {
    client.on('error', () => client.terminate());
    const stopWatching = watch(client);
    try {
      // What the client sends meanwhile waits here, at most as much as the stream takes.
      const stream = createWebSocketStream(client);
      stream.on('error', () => undefined);
      const box = await reach(client, session, boxes);
      if (box === undefined) return;
      count(stream, box, client);
      await pipeline(stream, box, stream).catch(() => undefined);
      if (client.readyState === client.OPEN) client.close(1000);
    } finally {
      stopWatching();
    }
  }

  /** Undefined: not reached; the client got the reason, or is gone. */
  async function reach(client: WebSocket, session: TunnelSession, boxes: BoxRuntime): Promise<Socket | undefined> {
    const slow = setTimeout(() => client.send('The dev box is starting; the very first one on this platform takes minutes.'), 3_000);
    try {
      await readyMachine(ctx, boxes, session);
      const address = boxes.address(session.box_id, 'ssh');
      const box = 'unix' in address ? connect(address.unix) : connect(address.port, address.host);
      await once(box, 'connect');
      if (client.readyState !== client.OPEN) return void box.destroy();
      const greeting: BoxGreeting = { session: session.session_id.replaceAll('-', '_'), key: session.public_key };
      box.write(`${JSON.stringify(greeting)}\n`);
      return box;
    } catch (error) {
      log.warn({ err: error, box_id: session.box_id }, 'a dev box could not be reached');
      client.close(1011, (error instanceof SandboxError ? error.message : 'The dev box could not be reached; try again in a moment.').slice(0, 120));
      return undefined;
    } finally {
      clearTimeout(slow);
    }
  }

  /** Ends it beyond its limits. */
  function count(stream: Duplex, box: Socket, client: WebSocket): void {
    let bytes = 0;
    let last = performance.now();
    const began = last;
    const passed = (chunk: Buffer): void => {
      bytes += chunk.length;
      last = performance.now();
      if (bytes > limits.bytes) client.close(1008, 'This tunnel has carried as much as it may; connect again.');
    };
    stream.on('data', passed);
    box.on('data', passed);
    const timer = setInterval(
      () => {
        const now = performance.now();
        if (now - last > limits.idleMs) client.close(1001, 'Nothing was sent for too long.');
        else if (now - began > limits.ageMs) client.close(1001, 'This tunnel is as old as it may become; connect again.');
      },
      Math.min(limits.idleMs, PING_MS),
    );
    client.once('close', () => clearInterval(timer));
  }

  return (request, socket, head) => {
    const name = PATH.exec(request.url ?? '')?.[1];
    if (name === undefined || ownerOf(request.headers.host).kind !== 'api') return false;
    void take(request, socket, head, name);
    return true;
  };
}

/** A client that went away without a word holds no machine awake. */
function watch(client: WebSocket): () => void {
  let answered = true;
  client.on('pong', () => (answered = true));
  const timer = setInterval(() => {
    if (!answered) return client.terminate();
    answered = false;
    client.ping();
  }, PING_MS);
  return () => clearInterval(timer);
}
