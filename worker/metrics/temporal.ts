// The Temporal library's own figures (latency of queues, failed workflow tasks): it serves them itself, on a
// port; we read them from there.
import { createServer } from 'node:net';
import type { PrometheusMetricsExporter } from '@temporalio/worker';

/** An address of this machine that is free now. */
export async function freeAddress(): Promise<string> {
  const server = createServer();
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
  await new Promise((resolve) => server.close(resolve));
  return `127.0.0.1:${port}`;
}

/** Names and units as in the rest of our figures. */
export function temporalExporter(bindAddress: string): PrometheusMetricsExporter['prometheus'] {
  return { bindAddress, countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true };
}

/** Prometheus text, names beginning with `temporal_`; nothing when it cannot be read. */
export async function temporalMetrics(address: string): Promise<string> {
  try {
    const response = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(2_000) });
    return response.ok ? await response.text() : '';
  } catch {
    return '';
  }
}
