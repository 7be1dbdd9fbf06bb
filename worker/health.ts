// The worker's own small HTTP server: is it polling, its metrics, and those of the host beside it. On a unix
// socket, and where a scraper cannot reach that, on a port of this machine.
import { createServer, request as httpRequest, type Server, type ServerResponse } from 'node:http';
import { rm } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Worker } from '@temporalio/worker';

export interface HealthServer {
  close(): Promise<void>;
}

export interface HealthOptions {
  socketPath: string | undefined;
  port: number | undefined;
  /** Of the host on this machine. */
  hostSocket: string;
  workers: readonly Worker[];
  /** Of the workflow code; undefined: the server knows no versions. */
  buildId?: string | undefined;
  /** Prometheus text. */
  metrics(): Promise<string>;
}

const prometheusText = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * `GET /healthz`: 200 while every queue is polled, 503 otherwise; with the build of the workflow code. `GET
 * /metrics`, `GET /metrics/host`: Prometheus text.
 */
export async function serveHealth({ socketPath, port, hostSocket, workers, buildId, metrics }: HealthOptions): Promise<HealthServer> {
  const answer = (url: string | undefined, response: ServerResponse): void => {
    if (url === '/metrics') return void send(response, metrics());
    if (url === '/metrics/host') return void send(response, hostMetrics(hostSocket));
    const queues = workers.map((worker) => ({ queue: worker.options.taskQueue, state: worker.getState() }));
    const running = queues.every(({ state }) => state === 'RUNNING');
    response.writeHead(running ? 200 : 503, { 'content-type': 'application/json' }).end(JSON.stringify({ queues, build_id: buildId ?? null }));
  };
  if (socketPath !== undefined) await rm(socketPath, { force: true });
  const servers = [
    ...(socketPath === undefined ? [] : [await listening(answer, (server) => server.listen(socketPath))]),
    ...(port === undefined ? [] : [await listening(answer, (server) => server.listen(port, '127.0.0.1'))]),
  ];
  return {
    close: async () => {
      await Promise.all(
        servers.map(async (server) => {
          server.closeAllConnections();
          await new Promise((resolve) => server.close(resolve));
        }),
      );
    },
  };
}

async function send(response: ServerResponse, figures: Promise<string>): Promise<void> {
  try {
    const body = await figures;
    response.writeHead(200, { 'content-type': prometheusText }).end(body);
  } catch (error) {
    response.writeHead(502, { 'content-type': 'text/plain' }).end(`no figures: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}

function hostMetrics(socketPath: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asking = httpRequest({ socketPath, path: '/metrics', timeout: 2_000 }, (response) => text(response).then(resolve, reject));
    asking.once('timeout', () => asking.destroy(new Error('the host did not answer in time')));
    asking.once('error', reject).end();
  });
}

async function listening(answer: (url: string | undefined, response: ServerResponse) => void, listen: (server: Server) => void): Promise<Server> {
  const server = createServer((request, response) => answer(request.url, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', resolve);
    listen(server);
  });
  return server;
}
