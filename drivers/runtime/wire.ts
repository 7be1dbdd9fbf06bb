// What client and host say to each other over the host's socket: plain JSON, and NDJSON for what takes long.
import { z } from 'zod';
import { Frontend } from '#contract/wire/manifest.ts';
import { MAX_SERVICE_LENGTH, ServiceDeclaration } from '#contract/wire/service.ts';
import { AgentName, Semver } from '#contract/wire/names.ts';
import { parseJson } from './lines.ts';
import { BUILD_CHECKS, LOG_STREAMS, SLEEP_TIERS } from '#contract/states.ts';

/**
 * Ids name folders and sockets: nothing that could leave them. Short, because a socket path holds 107 bytes.
 */
export const Id = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'letters, digits, - and _, at most 64');
export const ImageId = z.string().regex(/^sha256:[0-9a-f]{64}$/);

export const BuildQuery = z.object({
  tenant: Id,
  language: z.enum(['typescript', 'javascript', 'python', 'go', 'rust']),
  language_version: z
    .string()
    .regex(/^\d+(?:\.\d+)?$/)
    .max(10)
    .optional(),
  entrypoint: z.string().regex(/^[\w./-]{1,200}:[A-Za-z_$][\w$]{0,99}$/, 'module:Class, for example agent:Greeter'),
  frontend: z.string().max(4_096).transform(parseJson).pipe(Frontend).optional(),
  service: z
    .string()
    .max(MAX_SERVICE_LENGTH + 500)
    .transform(parseJson)
    .pipe(z.strictObject({ name: AgentName, version: Semver, declaration: ServiceDeclaration }))
    .optional(),
  checks: z.enum(BUILD_CHECKS).optional(),
});

const Injection = z.strictObject({ host: z.string().min(1).max(253), header: z.string().min(1).max(64), value: z.string().max(8_192) });
const BoundDatabase = z.strictObject({
  host: z.string().min(1).max(253),
  port: z.int().min(1).max(65_535),
  tls: z.boolean(),
  database: z.string().min(1).max(63),
  user: z.string().min(1).max(63),
});
const bound = z.array(BoundDatabase).max(20);
const injections = z.array(Injection).max(100);

export const StartBody = z.strictObject({
  instance_id: Id,
  agent: z.string().min(1).max(200),
  deployment_id: Id,
  image: ImageId,
  env: z.record(z.string(), z.string()),
  secrets: z.record(z.string(), z.string()),
  inject: injections.optional(),
  databases: bound.optional(),
  api_key: z.string(),
  grant_key: z.string().max(64),
  setup_key: z.string().max(64).optional(),
  resources: z.strictObject({ memory_mib: z.int().positive(), cpu_millis: z.int().positive() }),
  egress: z.strictObject({
    allow_hosts: z.array(z.string()).max(500),
    allow_internal_services: z.array(z.string()).max(500),
    deny_external: z.boolean().optional(),
  }),
});

export const CurrentVersion = z.object({
  runtime: z.string().min(1).max(200),
  sdk: z.string().min(1).max(200),
  accelerator: z.enum(['kvm', 'tcg', 'unknown']).optional(),
});

export const RestrictBody = z.strictObject({ deny_external: z.boolean() });
export const DenialsQuery = z.object({ boot_id: z.string().max(64), seq: z.coerce.number().int().min(0) }).partial();
export const Denials = z.object({
  boot_id: z.string().max(64),
  items: z
    .array(z.object({ seq: z.int(), instance_id: z.string(), host: z.string().max(512), port: z.int(), count: z.int().min(1), at: z.number() }))
    .max(1_000),
});

export const ExchangeBody = z.strictObject({
  ask: z.boolean(),
  answers: z.array(z.strictObject({ question_id: z.string().max(64), allowed: z.boolean(), reason: z.string().max(2_000) })).max(100),
  wait_ms: z.int().min(0).max(10_000),
});
export const Questions = z
  .array(z.object({ question_id: z.string().max(64), guest: z.string().max(128), host: z.string().max(512), port: z.int().min(0).max(65_535) }))
  .max(100);

export const SleepBody = z.strictObject({ tier: z.enum(['paused', 'suspended', 'cold']) });
export const KeepBody = z.strictObject({
  instances: z.array(z.string()),
  images: z.array(z.string()),
  started_before: z.number().optional(),
  with_runs: z.array(z.string()).optional(),
});
export const LogsQuery = z.object({ after: z.coerce.number().int().min(-1).optional(), limit: z.coerce.number().int().min(1).max(10_000).optional() });

const codes = [
  'build_failed',
  'checks_failed',
  'start_failed',
  'startup_failed',
  'unhealthy',
  'not_found',
  'cancelled',
  'disk_full',
  'wake_queue_full',
  'host_unreachable',
  'internal',
] as const;
export const ErrorBody = z.object({ code: z.enum(codes), message: z.string() });

const LogEntry = z.object({ at: z.number(), stream: z.enum(LOG_STREAMS), text: z.string() });
export const StoredLine = LogEntry.extend({ seq: z.number() });
export const BuildResult = z.object({
  image: ImageId,
  size_bytes: z.number(),
  cached: z.boolean(),
  runs_on: z.string().max(100).optional(),
  card: z.unknown().optional(),
});
export const StartResult = z.object({ instance_id: z.string(), runtime: z.string(), card: z.unknown() });

/**
 * One line of an NDJSON answer: log lines, then exactly one result or error. `wait` keeps a silent connection
 * alive.
 */
export const StreamLine = z.union([
  z.object({ log: LogEntry }),
  z.object({ result: z.unknown() }),
  z.object({ error: ErrorBody }),
  z.object({ wait: z.literal(true) }),
]);

export const Status = z.object({
  instance_id: z.string(),
  agent: z.string(),
  deployment_id: z.string(),
  image: z.string(),
  tier: z.enum(['awake', 'paused', 'suspended', 'cold', 'failed']),
  started_at: z.number(),
  last_used_at: z.number(),
  memory_bytes: z.number(),
  unwell: z.object({ reason: z.string(), since: z.number() }).optional(),
  wakes: z.array(z.object({ at: z.number(), from: z.enum(SLEEP_TIERS), ms: z.number(), slept_ms: z.number() })).optional(),
});
export const KeepResult = z.object({ stopped: z.array(z.string()), deleted: z.array(z.string()) });

/**
 * Frames a guest's agent process sends to the service `events`, one JSON object a line. Everything in them is
 * a claim.
 */
export const GuestEvent = z.discriminatedUnion('t', [
  z.object({ t: z.literal('log'), s: z.enum(['stdout', 'stderr']), x: z.string(), at: z.number().optional() }),
  /**
   * `n`: runs and requests that need the machine awake and have lasted longer than a moment; 0 is said again
   * after each request, and while any are open that only wait. `w`: runs that wait for a person.
   */
  z.object({ t: z.literal('busy'), n: z.int().min(0), w: z.int().min(0).default(0) }),
  /** Its author's health(): not well, it refuses calls until it is. */
  z.object({ t: z.literal('health'), ok: z.boolean(), reason: z.string().max(2_000).default('') }),
  /** The SDK is loaded; the process waits for its identity. */
  z.object({ t: z.literal('preloaded') }),
  z.object({ t: z.literal('ready') }),
  z.object({ t: z.literal('failed'), message: z.string() }),
]);
export type GuestEvent = z.infer<typeof GuestEvent>;

/** What a start hands to the agent's process; kept apart from the rest on disk. */
export const Identity = z.object({
  env: z.record(z.string(), z.string()),
  secrets: z.record(z.string(), z.string()),
  api_key: z.string(),
  /** Absent in what an older host wrote. */
  grant_key: z.string().default(''),
  /** On which port of the machine its databases are; absent: it has none. */
  database_port: z.int().min(1).max(65_535).optional(),
});
/** What of a start stays with the host, beside the identity and as closely kept. */
export const Withheld = z.object({ inject: injections.default([]), setup_key: z.string().optional() });
export type Withheld = z.infer<typeof Withheld>;
/** The agent process's answer to an order of the host. */
export const ControlReply = z.object({ ok: z.boolean(), message: z.string().optional(), working: z.int().min(0).optional() });
export type ControlReply = z.infer<typeof ControlReply>;
