// Connections a process was handed. Node's own list starts with listen(), which it never calls.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Connections {
  add(socket: Socket): void;
  /**
   * Idle ones go now, the others with their answer: a kept connection must reach the new code with its next
   * request. Resolves when no first request is on the way any more.
   */
  retire(): Promise<void>;
}

/**
 * A connection without a request yet was made a moment ago, and its request is on the way; or a browser made
 * it ahead, for later.
 */
const FIRST_REQUEST_MS = 500;

export function connectionsOf(server: Server): Connections {
  const busy = new Map<Socket, number>();
  const used = new WeakSet<Socket>();
  let retired = false;
  server.on('request', ({ socket }, response) => {
    busy.set(socket, (busy.get(socket) ?? 0) + 1);
    used.add(socket);
    if (retired) response.shouldKeepAlive = false;
    response.once('close', () => {
      const left = (busy.get(socket) ?? 1) - 1;
      if (busy.has(socket)) busy.set(socket, left);
      if (retired && left === 0) socket.destroySoon();
    });
  });
  return {
    add(socket) {
      busy.set(socket, 0);
      socket.once('close', () => busy.delete(socket));
      server.emit('connection', socket);
      socket.resume();
    },
    async retire() {
      retired = true;
      for (const [socket, requests] of busy) if (requests === 0 && used.has(socket)) socket.destroySoon();
      await delay(FIRST_REQUEST_MS);
      for (const [socket, requests] of busy) if (requests === 0) socket.destroySoon();
    },
  };
}
