// One port for HTTP/1 and for HTTP/2 without TLS: the first bytes of a connection say which it is (RFC 9113,
// 3.4).
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { duplexPair, type Duplex } from 'node:stream';
import { HEADERS_MS } from './http/receiver.ts';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
/** No common method of HTTP/1 starts so. */
const TELLING = 4;
export interface Split {
  /** A connection within this process, from this address, to the HTTP/1 server. */
  connect(remoteAddress: string | undefined): Duplex;
  /** Ends what is not the HTTP/1 server's own: silent connections at once, HTTP/2 after this time. */
  close(graceMs: number): void;
}

/**
 * Connections of HTTP/2 go to `http2`, all others where they went before. One look at a connection's first
 * bytes, none at its requests.
 */
export function splitByPreface(server: Server, http2: (socket: Socket) => void): Split {
  const listeners = server.listeners('connection');
  const http1 = (socket: Duplex): void => {
    for (const listener of listeners) Reflect.apply(listener, server, [socket]);
  };
  const undecided = new Set<Socket>();
  const others = new Set<Socket>();
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    undecided.add(socket);
    socket.once('close', () => undecided.delete(socket) || others.delete(socket));
    const close = (): void => void socket.destroy();
    let seen: Buffer = Buffer.alloc(0);
    const look = (): void => {
      const more: unknown = socket.read();
      if (!Buffer.isBuffer(more)) return;
      // Put back only once it is decided: bytes that are put back make the socket readable again, at once and
      // without end.
      seen = seen.length === 0 ? more : Buffer.concat([seen, more]);
      const start = seen.subarray(0, PREFACE.length);
      const alike = start.equals(PREFACE.subarray(0, start.length));
      if (alike && start.length < TELLING) return;
      socket.off('readable', look).off('error', close).off('end', close).off('timeout', close).setTimeout(0);
      socket.unshift(seen);
      undecided.delete(socket);
      if (!alike) return http1(socket);
      others.add(socket);
      http2(socket);
    };
    socket.once('error', close).once('end', close).once('timeout', close).setTimeout(HEADERS_MS);
    socket.on('readable', look);
  });
  return {
    connect(remoteAddress) {
      const [near, far] = duplexPair();
      http1(Object.assign(far, { remoteAddress }));
      return near;
    },
    close(graceMs) {
      for (const socket of undecided) socket.destroy();
      if (others.size > 0) setTimeout(() => others.forEach((socket) => socket.destroy()), graceMs);
    },
  };
}
