// Where agents export the spans of their own code: OTLP over HTTP, in protobuf.

/** What OpenTelemetry's SDKs take as their endpoint; they add `/v1/traces`. */
const ENDPOINT = '/otlp';
export const TRACE_EXPORT_PATH = `${ENDPOINT}/v1/traces`;

/** Of one request, unpacked. */
export const MAX_EXPORT_BYTES = 1024 * 1024;
/** Of one run. */
export const MAX_SPANS_OF_RUN = 10_000;
export const MAX_BYTES_OF_RUN = 16 * 1024 * 1024;

/**
 * OpenTelemetry's SDKs find it by these variables. Only spans are accepted. A variable of the same name that
 * the owner stored takes precedence: an export to the owner's own collector continues.
 */
export function traceEnvironment(platformUrl: string, agent: string): Record<string, string> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: platformUrl + ENDPOINT,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_LOGS_EXPORTER: 'none',
    OTEL_SERVICE_NAME: agent,
    OTEL_SEMCONV_STABILITY_OPT_IN: 'gen_ai_latest_experimental',
  };
}
