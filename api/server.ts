// The listening half: who answers a connection, and how it all ends without cutting anyone off.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server as Listener } from 'node:net';
import type { Duplex } from 'node:stream';
import { splitByPreface, type Split } from './first-bytes.ts';
import { type ContextOf, createReceiver, type ReceiverOptions } from './http/receiver.ts';
import type { GrpcSurface } from './ingress/grpc.ts';

/** Answers a request before the API sees it; false: not mine. */
export type Front = (request: IncomingMessage, response: ServerResponse) => boolean;
/** Takes over an upgraded connection; false: not mine. */
export type UpgradeFront = (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean;

export interface ServerOptions extends Pick<ReceiverOptions, 'times' | 'onRefused' | 'onError'> {
  /** Asked in order; the API answers what none of them takes. */
  fronts?: Front[];
  upgrades?: UpgradeFront[];
  /** Certificates by name: `listenTls` opens a second port with them. */
  contextOf?: ContextOf;
  /** gRPC on the same port; absent: only HTTP/1. */
  grpc?: (connect: Split['connect']) => GrpcSurface;
  api: (request: IncomingMessage, response: ServerResponse) => unknown;
  /** Aborted first: readiness turns 503 and streams end. */
  stopping: AbortController;
  /** How long answers in flight may take after that, in milliseconds; default 10 000. */
  graceMs?: number;
}

export interface ApiServer {
  server: Server;
  /** Answers one request as the server does. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Resolves with the address: `http://127.0.0.1:8080`. */
  listen(port: number, host: string): Promise<string>;
  /** The same over TLS; resolves with the port. */
  listenTls(port: number, host: string): Promise<number>;
  /** Ends streams, answers what is in flight, closes; never rejects. */
  close(): Promise<void>;
}

export function createApiServer({ fronts = [], upgrades = [], grpc, contextOf, api, stopping, graceMs = 10_000, ...options }: ServerOptions): ApiServer {
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    if (stopping.signal.aborted) response.setHeader('connection', 'close');
    for (const front of fronts) if (front(request, response)) return;
    api(request, response);
  };
  const upgraded = new Set<Duplex>();
  const answering: ReceiverOptions = {
    ...options,
    answer: handle,
    upgrade(request, socket, head) {
      upgraded.add(socket);
      socket.once('close', () => upgraded.delete(socket));
      if (!upgrades.some((take) => take(request, socket, head))) socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    },
  };
  const receiver = createReceiver(answering);
  const tls = contextOf && createReceiver({ ...answering, contextOf });
  const { server } = receiver;
  let loopback6: Listener | undefined;
  let surface: GrpcSurface | undefined;
  const split = grpc && splitByPreface(server, (socket) => surface?.take(socket));
  surface = split && grpc?.(split.connect);
  return {
    server,
    handle,
    async listen(port, host) {
      const address = await listening(server, port, host, 'SVC_PORT');
      if (host === '127.0.0.1') loopback6 = await besideAt6(server, address.port);
      return urlOf(address);
    },
    listenTls: async (port, host) => {
      if (!tls) throw new Error('this server has no certificates');
      return (await listening(tls.server, port, host, 'SVC_HTTPS_PORT')).port;
    },
    async close() {
      stopping.abort();
      for (const socket of upgraded) socket.end();
      surface?.close(graceMs);
      split?.close(graceMs);
      const servers = tls?.server.listening ? [server, tls.server] : [server];
      const closed = [...servers, ...(loopback6 ? [loopback6] : [])].map((one) => new Promise<void>((resolve) => void one.close(() => resolve())));
      // Connections whose answer was under way become idle later.
      const idle = setInterval(() => servers.forEach((one) => one.closeIdleConnections()), 50);
      const late = setTimeout(() => servers.forEach((one) => one.closeAllConnections()), graceMs);
      await Promise.all(closed);
      receiver.stop();
      tls?.stop();
      clearInterval(idle);
      clearTimeout(late);
      for (const socket of upgraded) socket.destroy();
    },
  };
}

/**
 * `localhost` is ::1 to some programs: they are answered there too, where the machine has it and the port is
 * free.
 */
function besideAt6(server: Server, port: number): Promise<Listener | undefined> {
  const listener = createServer((socket) => void server.emit('connection', socket));
  return new Promise((resolve) => {
    listener.once('error', () => resolve(undefined)).listen({ port, host: '::1', ipv6Only: true }, () => resolve(listener));
  });
}

/** Rejects with what to set where the port is taken. */
function listening(server: Server, port: number, host: string, setting: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new Error(`port ${port} is taken: stop what uses it, or set ${setting} to another`) : error),
    );
    server.listen(port, host, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('the server does not listen on a port'));
      else resolve(address);
    });
  });
}

function urlOf(address: AddressInfo): string {
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}
