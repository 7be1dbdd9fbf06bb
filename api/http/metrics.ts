// Prometheus metrics; labels are bounded: the declared route, never the path that was asked for.
import { ruleMetrics } from '#core/policy/index.ts';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

const OUTCOMES = ['ok', 'broken', 'gone', 'refused', 'unreachable', 'timeout'] as const;
type PassOutcome = (typeof OUTCOMES)[number];

export interface Metrics {
  registry: Registry;
  /** A request answered by Koa. `route` is as declared, or 'none'. */
  answered(route: string, status: number, seconds: number): void;
  /** A request passed to an agent by its host name. */
  passed(outcome: PassOutcome): void;
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Requests to the API by declared route and status',
    labelNames: ['route', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  });
  const ingress = new Counter({ name: 'svc_ingress_requests_total', help: 'Requests to agents by outcome', labelNames: ['outcome'], registers: [registry] });
  ruleMetrics(registry);
  // Looked up once: this is on the path of every call.
  const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, ingress.labels({ outcome })])) as Record<PassOutcome, Counter.Internal>;
  return {
    registry,
    answered: (route, status, seconds) => requests.observe({ route, status }, seconds),
    passed: (outcome) => outcomes[outcome].inc(),
  };
}
