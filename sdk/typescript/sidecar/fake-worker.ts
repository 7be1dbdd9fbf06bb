// For tests: a worker that says exactly what a test wants, well-formed or not.
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { WORKER_PROTOCOL, type ToWorker } from '../../../contract/wire/worker.ts';
import { lineReader } from './lines.ts';

export type Say = (frame: object | string) => void;
export type React = (frame: ToWorker, say: Say, socket: Socket) => void;

export interface FakeWorker {
  url: string;
  /** All frames of the runtime so far. */
  heard: ToWorker[];
  /** Ends the connection there is. */
  drop(): void;
}

const HELLO = { t: 'hello', protocol: WORKER_PROTOCOL, language: 'test', sdk: 'test', skills: ['go', 'other'] };

/**
 * Answers `start`, `shutdown` and, unless it is `stuck`, `health` automatically; everything else is the
 * test's. `loads` is called before its hello.
 */
export async function fakeWorker(react: React, hello: object = HELLO, { stuck = false, loads = () => {} } = {}): Promise<FakeWorker> {
  const heard: ToWorker[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((_, res) => void res.end('ok'));
  server.on('upgrade', (_, socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${WORKER_PROTOCOL}\r\n\r\n`);
    const say: Say = (frame) => void socket.write(`${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n`);
    loads();
    say(hello);
    const feed = lineReader((line) => {
      const frame = JSON.parse(line) as ToWorker; // the runtime's own
      heard.push(frame);
      if (frame.t === 'start') say({ t: 'started' });
      else if (frame.t === 'shutdown') say({ t: 'stopped' });
      else if (frame.t === 'health') {
        if (!stuck) say({ t: 'healthy', id: frame.id, ok: true });
      } else react(frame, say, socket);
    });
    socket.on('data', feed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return { url: `http://127.0.0.1:${address.port}`, heard, drop: () => sockets.forEach((socket) => socket.destroy()) };
}
