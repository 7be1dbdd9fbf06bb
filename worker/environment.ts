// The worker's environment, read once.
import { z } from 'zod';
import { domainVariables } from '#drivers/certificates/environment.ts';
import { mailVariables } from '#drivers/mail/environment.ts';
import { outboundVariables } from '#drivers/outbound/environment.ts';
import { paymentVariables } from '#drivers/payments/environment.ts';
import { storageVariables } from '#drivers/storage/environment.ts';
import { traceVariables } from '#drivers/traces/environment.ts';

export const Environment = z.object({
  DATABASE_URL: z.url(),
  /**
   * A PostgreSQL on which databases of accounts are made, as a user who may make databases and roles; absent:
   * none are made.
   */
  SVC_DATABASES_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  TEMPORAL_ADDRESS: z.string().min(1),
  TEMPORAL_NAMESPACE: z.string().min(1).default('svc'),
  TEMPORAL_API_KEY: z.string().optional(),
  SVC_STATE_DIR: z.string().min(1),
  SVC_CACHE_DIR: z.string().min(1),
  SVC_SECRETS_DIR: z.string().min(1),
  SVC_HOST_SOCKET: z.string().min(1),
  /** Unix socket for health and metrics; absent: none. */
  SVC_WORKER_SOCKET: z.string().optional(),
  /** The same on a port of this machine, for scrapers. */
  SVC_WORKER_METRICS_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  SVC_BASE_URL: z.url(),
  SVC_AGENTS_DOMAIN: z.string().min(1),
  /** Written once work is taken on: how the supervisor knows. */
  SVC_READY_FILE: z.string().optional(),
  SVC_NODE: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .default('local'),
  /** Builds that run at the same time, on all hosts together. */
  SVC_BUILDS_AT_ONCE: z.coerce.number().int().min(1).max(32).default(1),
  /**
   * OSV records, one JSON array or one record a line: reviews name what an agent's lock file has of them.
   * Absent: they do not look.
   */
  SVC_ADVISORIES_FILE: z.string().optional(),
  /** Days after a job's end until its events move into the archive, and until they are removed. */
  SVC_EVENTS_ARCHIVE_DAYS: z.coerce.number().int().min(1).default(30),
  SVC_EVENTS_KEEP_DAYS: z.coerce.number().int().min(1).default(365),
  ...domainVariables,
  ...mailVariables,
  ...outboundVariables,
  ...paymentVariables,
  ...storageVariables,
  ...traceVariables,
  /** While the host has no KVM, only operators and their organizations are served. */
  SVC_REQUIRE_KVM: z.stringbool().default(false),
  SVC_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
});

export type WorkerEnvironment = z.infer<typeof Environment>;

/** Throws an error that names every missing or wrong variable. */
export function readEnvironment(env: NodeJS.ProcessEnv): WorkerEnvironment {
  const parsed = Environment.safeParse(env);
  if (parsed.success) return parsed.data;
  throw new Error(`The worker's environment is not complete:\n${z.prettifyError(parsed.error)}\nnpm run up sets it`);
}
