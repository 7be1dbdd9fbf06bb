// The port of `svc run`: held here, its connections handed to whichever process serves now. So a newer one
// takes over without a gap.
import type { ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { ProjectError } from './problem.ts';

export interface Front {
  port: number;
  /** From now on connections go there; those that have come before a process was ready, first. */
  leadTo(child: ChildProcess): void;
  close(): void;
}

/** Connections that wait for the first process. */
const MAX_WAITING = 128;

/** @throws ProjectError that says what to do when the port is taken */
export async function openFront({ host, port }: { host: string; port: number }): Promise<Front> {
  let child: ChildProcess | undefined;
  const waiting: Socket[] = [];
  // Includes sockets that were sent to a process which ended before it took them: only this process can close
  // them.
  const sockets = new Set<Socket>();
  const hand = (socket: Socket): void => {
    // From here on the socket belongs to the child. If the child has ended meanwhile, it is closed.
    if (child?.connected) child.send({ do: 'connection' }, socket, { keepOpen: false }, (error) => void (error && socket.destroy()));
    else if (waiting.length < MAX_WAITING) waiting.push(socket);
    else socket.destroy();
  };
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
    hand(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new ProjectError([{ message: explain(error) }])));
    server.listen({ host, port }, resolve);
  });
  const address = server.address() as AddressInfo; // listening on a port
  return {
    port: address.port,
    leadTo(next) {
      child = next;
      for (const socket of waiting.splice(0)) hand(socket);
    },
    close() {
      for (const socket of sockets) socket.destroy();
      // Not waited for: node counts sockets that went to another process as open for ever.
      server.close().unref();
    },
  };
}

function explain(error: NodeJS.ErrnoException): string {
  if (error.code === 'EADDRINUSE') return `${error.message}: stop what uses the port, or choose another with --port`;
  if (error.code === 'EACCES' || error.code === 'EADDRNOTAVAIL') return `${error.message}: choose another --host or --port`;
  return error.message;
}
