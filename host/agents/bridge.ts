// A socket of an instance or a dev box: each connection becomes one stream to a server in the machine, with
// its first bytes; bytes for a sleeping machine wake it.
import { rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { Transform, type Duplex } from 'node:stream';
import { RuntimeError } from '#drivers/runtime/port.ts';
import { checkSocketPath } from '#drivers/runtime/sockets.ts';

export interface Bridge {
  close(): Promise<void>;
}

/** What connections lead to. */
export interface Sleeper {
  /** A stream to its server; wakes the machine first. */
  open(): Promise<Duplex>;
  wake(): Promise<void>;
  /** Bytes passed. False: the machine sleeps. */
  touch(direction: 'in' | 'out'): boolean;
}

const maxConnections = 1_024;

/** `speaksHttp`: a failure is said in HTTP; else the connection just ends. */
export async function listenBridge(at: string, sleeper: Sleeper, { speaksHttp = true, most = maxConnections } = {}): Promise<Bridge> {
  const path = checkSocketPath(at);
  await rm(path, { force: true });
  const clients = new Set<Socket>();
  const server: Server = createServer({ allowHalfOpen: true }, (client) => {
    clients.add(client);
    client.once('close', () => clients.delete(client));
    client.on('error', () => client.destroy());
    serve(sleeper, client, speaksHttp);
  });
  server.maxConnections = most;
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

function serve(sleeper: Sleeper, client: Socket, speaksHttp: boolean): void {
  let guest: Duplex | undefined;
  const end = (): void => {
    client.destroy();
    guest?.destroy();
  };
  /** Called with the first bytes: a connection without any does not wake the agent. */
  async function begin(): Promise<void> {
    const opened = await sleeper.open();
    guest = opened;
    if (client.destroyed) return void opened.destroy();
    into.pipe(opened);
    opened.on('data', () => sleeper.touch('out'));
    opened.pipe(client);
    opened.on('error', end);
    opened.once('close', () => client.destroySoon());
    // A reader that lagged behind wants the rest: some of it may still be in a machine that was suspended
    // meanwhile.
    client.on('drain', () => void sleeper.wake().catch(() => undefined));
  }
  const into = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const pass = (): void => {
        if (sleeper.touch('in')) done(null, chunk);
        else sleeper.wake().then(() => done(null, chunk), done);
      };
      if (guest !== undefined) return pass();
      begin().then(
        () => {
          if (!client.destroyed) pass();
        },
        (error: unknown) => (speaksHttp ? refuse(client.unpipe(into), error) : end()),
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
