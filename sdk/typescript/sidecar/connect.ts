// A connection to a worker: an HTTP upgrade, over TCP or a unix socket.
import { request, type RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import { WORKER_PROTOCOL } from '../../../contract/wire/worker.ts';

export type WorkerAddress = { url: string } | { socket: string };

const CONNECT_TIMEOUT_MS = 5_000;

/** @throws Error when no program listens, or the program is not a worker */
export function connectWorker(address: WorkerAddress): Promise<{ socket: Socket; head: Buffer }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ socket: Socket; head: Buffer }>();
  const options: RequestOptions = {
    path: '/worker',
    headers: { connection: 'Upgrade', upgrade: WORKER_PROTOCOL },
    timeout: CONNECT_TIMEOUT_MS,
    ...('socket' in address ? { socketPath: address.socket } : hostOf(address.url)),
  };
  const req = request(options);
  req.once('upgrade', (response, socket: Socket, head) => {
    if (response.headers.upgrade !== WORKER_PROTOCOL) {
      socket.destroy();
      return reject(new Error(`the worker speaks "${response.headers.upgrade ?? 'nothing'}"; this runtime speaks ${WORKER_PROTOCOL}`));
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
