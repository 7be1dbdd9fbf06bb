// The way of a guest to its databases: it names the user and the database first, and only what the agent is
// bound to is connected. The password stays between guest and server. What PostgreSQL itself lets a role do
// is its server's matter (drivers/databases).
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as secure } from 'node:tls';
import type { BoundDatabase } from '#drivers/runtime/port.ts';
import { join } from './join.ts';
import { PacketReader, parametersOf, refusal, ServerMessages } from './database-protocol.ts';

export interface DatabaseGateOptions {
  databases: readonly BoundDatabase[];
  /** Opens a connection to the server. */
  dial(target: { host: string; port: number }): Promise<Socket>;
  /** One line per refusal. */
  onRefusal(line: string): void;
  /** Connections open at once. */
  maxConnections?: number;
  /** Until user and database are named. */
  startWithinMs?: number;
  /** PEM, of an authority beside Node's own. */
  ca?: string;
}

export interface DatabaseGate {
  /** Takes a stream of the guest that begins as PostgreSQL's protocol. */
  handle(stream: Duplex): void;
  close(): void;
  readonly open: number;
}

const CODE = { ssl: 80_877_103, gss: 80_877_104, cancel: 80_877_102 };
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
/** Of which the guest may cancel the statement. */
const MAX_KEYS = 200;

export function createDatabaseGate(options: DatabaseGateOptions): DatabaseGate {
  const { databases, maxConnections = 40, startWithinMs = 15_000 } = options;
  const streams = new Set<Duplex>();
  /** Which server gave which key: a cancellation names nothing else, and must not reach others' sessions. */
  const keys = new Map<string, BoundDatabase>();

  async function open(target: BoundDatabase): Promise<Socket> {
    const socket = await options.dial(target);
    return target.tls ? overTls(socket, target.host, options.ca) : socket;
  }

  async function start(stream: Duplex): Promise<void> {
    const reader = new PacketReader(stream, startWithinMs);
    for (let encryptionRequests = 0; ; encryptionRequests += 1) {
      const packet = await reader.next();
      const code = packet.readInt32BE(4);
      if ((code === CODE.ssl || code === CODE.gss) && encryptionRequests < 2) {
        // No encryption: the connection between guest and host cannot be intercepted.
        stream.write('N');
        continue;
      }
      if (code === CODE.cancel) return cancel(stream, packet);
      if (code >> 16 !== 3) return refuse(stream, '08P01', 'This is not the protocol of PostgreSQL 7.4 and later.');
      return connect(stream, packet, reader.rest());
    }
  }

  async function connect(stream: Duplex, packet: Buffer, rest: Buffer): Promise<void> {
    const { user = '', database = user, replication } = parametersOf(packet);
    const target = databases.find((one) => one.user === user && one.database === database);
    if (!target || (replication !== undefined && replication !== 'false')) {
      options.onRefusal('databases: a connection as a user or to a database that the agent is not bound to was refused');
      return refuse(stream, '28000', 'The agent is not bound to this database as this user: use the URL in its environment variable as it is.');
    }
    let server: Socket;
    try {
      server = await open(target);
    } catch {
      return refuse(stream, '08001', 'The server of the database does not answer: try again in a moment.');
    }
    if (stream.destroyed) return void server.destroy();
    const messages = new ServerMessages((key) => {
      if (keys.size >= MAX_KEYS) keys.delete(keys.keys().next().value ?? '');
      keys.set(key, target);
    });
    server.on('data', (chunk: Buffer) => messages.push(chunk));
    server.write(packet);
    if (rest.length > 0) server.write(rest);
    join(stream, server);
  }

  async function cancel(stream: Duplex, packet: Buffer): Promise<void> {
    const target = keys.get(packet.subarray(8).toString('hex'));
    if (target) {
      const server = await open(target).catch(() => undefined);
      server?.on('error', () => server.destroy());
      server?.once('close', () => stream.destroy());
      server?.resume().end(packet);
      if (server) return;
    }
    stream.end();
  }

  function refuse(stream: Duplex, code: string, message: string): void {
    stream.end(refusal(code, message));
    stream.resume();
  }

  return {
    handle(stream) {
      stream.on('error', () => stream.destroy());
      if (streams.size >= maxConnections) {
        options.onRefusal(`databases: more than ${maxConnections} connections at once; one was refused`);
        return refuse(stream, '53300', `The agent has ${maxConnections} connections to databases already: close some.`);
      }
      streams.add(stream);
      stream.once('close', () => streams.delete(stream));
      start(stream).catch(() => stream.destroy());
    },
    close() {
      for (const stream of streams) stream.destroy();
    },
    get open() {
      return streams.size;
    },
  };
}

/** Asks for TLS as PostgreSQL's clients do, and believes the server once its certificate is for that name. */
async function overTls(socket: Socket, host: string, ca: string | undefined): Promise<Socket> {
  const answer = await new Promise<Buffer>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed')));
    socket.once('data', resolve);
    socket.write(SSL_REQUEST);
  });
  // More than one byte would come from an attacker between us and the server.
  if (answer.length !== 1 || answer[0] !== 0x53) {
    socket.destroy();
    throw new Error('the server of the database does not speak TLS');
  }
  return new Promise((resolve, reject) => {
    const over = secure({ socket, servername: host, ...(ca !== undefined && { ca }) });
    over.once('error', reject);
    over.once('secureConnect', () => {
      over.off('error', reject);
      resolve(over);
    });
  });
}
