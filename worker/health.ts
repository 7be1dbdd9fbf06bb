// The worker's own small HTTP server, on a unix socket: is it polling, and its metrics.
import { createServer } from 'node:http';
import { rm } from 'node:fs/promises';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Worker } from '@temporalio/worker';

export interface HealthServer {
  close(): Promise<void>;
}

/** `GET /healthz`: 200 while every queue is polled, 503 otherwise. `GET /metrics`: Prometheus text. */
export async function serveHealth(socketPath: string, workers: readonly Worker[]): Promise<HealthServer> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const server = createServer((request, response) => {
    if (request.url === '/metrics') {
      void registry.metrics().then((text) => response.setHeader('content-type', registry.contentType).end(text));
      return;
    }
    const queues = workers.map((worker) => ({ queue: worker.options.taskQueue, state: worker.getState() }));
    const running = queues.every(({ state }) => state === 'RUNNING');
    response.writeHead(running ? 200 : 503, { 'content-type': 'application/json' }).end(JSON.stringify({ queues }));
  });
  await rm(socketPath, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketPath, resolve);
  });
  return {
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
