// The instance's `http.sock`: each connection becomes one stream to the agent's HTTP server, with its first bytes; bytes for a sleeping machine
// wake it.
import { rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { Transform, type Duplex } from 'node:stream';
import { RuntimeError } from '#drivers/runtime/port.ts';
import { checkSocketPath } from '#drivers/runtime/sockets.ts';
import type { Instance } from './instance.ts';

export interface Bridge {
  close(): Promise<void>;
}

const maxConnections = 1_024;

export async function listenBridge(instance: Instance): Promise<Bridge> {
  const path = checkSocketPath(join(instance.dir, 'http.sock'));
  await rm(path, { force: true });
  const clients = new Set<Socket>();
  const server: Server = createServer({ allowHalfOpen: true }, (client) => {
    clients.add(client);
    client.once('close', () => clients.delete(client));
    client.on('error', () => client.destroy());
    serve(instance, client);
  });
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path, readableAll: false, writableAll: false }, resolve);
  });
  return {
    async close() {
      server.close();
      for (const client of clients) client.destroy();
      await rm(path, { force: true });
    },
  };
}

function serve(instance: Instance, client: Socket): void {
  let guest: Duplex | undefined;
  const end = (): void => {
    client.destroy();
    guest?.destroy();
  };
  /** With the first bytes: a connection that brings none wakes nobody. */
  async function begin(): Promise<void> {
    const opened = await instance.open();
    guest = opened;
    if (client.destroyed) return void opened.destroy();
    into.pipe(opened);
    opened.on('data', () => instance.touch('out'));
    opened.pipe(client);
    opened.on('error', end);
    opened.once('close', () => client.destroySoon());
    // A reader that lagged behind wants the rest: some of it may still be in a machine that fell asleep meanwhile.
    client.on('drain', () => void instance.wake().catch(() => undefined));
  }
  const into = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const pass = (): void => {
        if (instance.touch('in')) done(null, chunk);
        else instance.wake().then(() => done(null, chunk), done);
      };
      if (guest !== undefined) return pass();
      begin().then(
        () => {
          if (!client.destroyed) pass();
        },
        (error: unknown) => refuse(client.unpipe(into), error),
      );
    },
    flush(done) {
      if (guest === undefined) client.destroy();
      done();
    },
  });
  for (const stream of [client, into]) stream.on('error', end);
  client.once('close', () => guest?.destroy());
  client.pipe(into);
}

/** The caller speaks HTTP, so a failure is said in HTTP. */
function refuse(client: Socket, error: unknown): void {
  const code = error instanceof RuntimeError ? error.code : 'internal';
  const status = code === 'wake_queue_full' ? '503 Service Unavailable' : code === 'unhealthy' ? '504 Gateway Timeout' : '502 Bad Gateway';
  const message = error instanceof RuntimeError ? error.message : 'The agent could not be reached.';
  const body = JSON.stringify({ detail: { code, message } });
  const retry = code === 'wake_queue_full' ? 'Retry-After: 1\r\n' : '';
  client.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-Svc-Runtime-Error: ${code}\r\n${retry}Connection: close\r\n\r\n${body}`,
  );
  client.resume();
}
