// Exports spans to an operator's collector: OTLP over HTTP, in protobuf. Not by
// @opentelemetry/exporter-trace-otlp-proto: it takes spans that its own SDK recorded, and gives none of them
// the ids that rows have.
import { type ExportedResource, writeExport } from './otlp/write.ts';

export interface TraceCollector {
  /** `https://collector.example.com/v1/traces` */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
}

export interface TraceExporter {
  /** Names the collector in what is remembered of it. */
  endpoint: string;
  /**
   * Resolves when the collector has taken them. @throws ExportRefused; another error: it may take them later
   */
  send(resources: readonly ExportedResource[]): Promise<void>;
}

/** It does not take these, however often they are sent. */
export class ExportRefused extends Error {}

const TIMEOUT_MS = 10_000;
/** OTLP: only these are to be tried again; and what a proxy says. */
const LATER: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

export function otlpExporter({ endpoint, headers }: TraceCollector): TraceExporter {
  return {
    endpoint,
    async send(resources) {
      const response = await fetch(endpoint, {
        method: 'POST',
        body: Buffer.from(writeExport(resources)),
        headers: { ...headers, 'content-type': 'application/x-protobuf' },
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      // Its words may be long, and are of no use to a program.
      await response.body?.cancel();
      if (response.ok) return;
      const message = `the collector at ${endpoint} answered ${response.status} to an export of traces`;
      throw LATER.has(response.status) || response.status >= 500 ? new Error(message) : new ExportRefused(message);
    },
  };
}
