// A connection to a worker: an HTTP upgrade, over TCP or a unix socket.
import { request, type RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import { WORKER_PROTOCOL } from '../../../contract/wire/worker.ts';

export type WorkerAddress = { url: string } | { socket: string };

const CONNECT_TIMEOUT_MS = 5_000;

export interface Connected {
  socket: Socket;
  head: Buffer;
}

/** @throws Error when no program listens, or the program is not a worker */
export const connectWorker = (address: WorkerAddress): Promise<Connected> => connectTo(address, '/worker', WORKER_PROTOCOL);

/** @throws as above */
export function connectTo(address: WorkerAddress, path: string, protocol: string): Promise<Connected> {
  const { promise, resolve, reject } = Promise.withResolvers<Connected>();
  const options: RequestOptions = {
    path,
    headers: { connection: 'Upgrade', upgrade: protocol },
    timeout: CONNECT_TIMEOUT_MS,
    ...('socket' in address ? { socketPath: address.socket } : hostOf(address.url)),
  };
  const req = request(options);
  req.once('upgrade', (response, socket: Socket, head) => {
    if (response.headers.upgrade !== protocol) {
      socket.destroy();
      return reject(new Error(`the worker speaks "${response.headers.upgrade ?? 'nothing'}"; this runtime speaks ${protocol}`));
    }
    socket.setTimeout(0);
    socket.setNoDelay(true);
    resolve({ socket, head });
  });
  req.once('response', (response) => {
    response.resume();
    reject(new Error(`no worker answers there: HTTP ${response.statusCode ?? '?'} instead of 101`));
  });
  req.once('timeout', () => req.destroy(new Error('no answer in time')));
  req.once('error', reject);
  req.end();
  return promise;
}

function hostOf(url: string): RequestOptions {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'http:') throw new TypeError(`the address of a worker is http://host:port, not "${protocol}"`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port || 80 };
}
