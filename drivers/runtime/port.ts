// The runtime's port: build an agent's source into an image, keep instances of it, reach them. Default
// driver: this machine's host process.
import type { Readable } from 'node:stream';
import type { CodesAmong } from '#contract/errors/index.ts';
import type { BuildChecks } from '#contract/states.ts';
import type { ServiceDeclaration } from '#contract/wire/service.ts';
import type { AgentAddress } from '../agent-http/address.ts';

export type BuildLanguage = 'typescript' | 'javascript' | 'python' | 'go' | 'rust';

/** The block `service` of svc.yaml, with what the card says beside it. */
interface HttpService {
  name: string;
  version: string;
  declaration: ServiceDeclaration;
}

/** The block `frontend` of svc.yaml. */
export interface PackedFrontend {
  path: string;
  build: string;
  dist: string;
  mount: string;
  auth: 'inherit' | 'platform' | 'public';
  mode?: 'static' | 'server-rendered' | undefined;
}

export interface BuildInput {
  build_id: string;
  /**
   * Whose build it is: what one tenant's build leaves in a cache never reaches another's.
   * `[A-Za-z0-9_-]{1,64}`
   */
  tenant: string;
  /** The project as a gzipped tar, already checked (no links, devices or parent paths). */
  source: Readable;
  language: BuildLanguage;
  /**
   * Of Python or Node, e.g. `3.13`, `26` (contract/wire/language-version.ts); absent: the one of the base
   * image.
   */
  language_version?: string | undefined;
  /** `module:Class` of svc.yaml, e.g. `agent:Greeter` for agent.ts or agent.py. */
  entrypoint: string;
  /** A frontend to be built and packed into the layer. */
  frontend?: PackedFrontend | undefined;
  /** The project is an HTTP service; its OpenAPI description says what its skills are. */
  service?: HttpService | undefined;
  /**
   * Of TypeScript and JavaScript: what must hold of the project, else `checks_failed`. Its code runs in the
   * build's machine. Absent: nothing.
   */
  checks?: BuildChecks | undefined;
}

export interface BuildOutput {
  /** Content address of the application layer, `sha256:<hex>`. */
  image: string;
  size_bytes: number;
  /** True when dependencies came from the lock-file cache. */
  cached: boolean;
  /**
   * What the agent will run on, e.g. `Python 3.13.5`; absent: a compiled language, or an older host, which
   * knows no other version than the base image's.
   */
  runs_on?: string | undefined;
  /**
   * The agent card where the build could read it (the guest's word: the caller validates it); absent: the
   * started agent serves it.
   */
  card?: unknown;
}

/** A header that the egress proxy adds to requests to exactly this host; see egress/inject.ts. */
export interface Injection {
  host: string;
  header: string;
  /** The whole value, its scheme among it. Never written to a log. */
  value: string;
}

/** A database that the agent may reach at 127.0.0.1:5432, as this user; see egress/database.ts. */
export interface BoundDatabase {
  host: string;
  port: number;
  /** Whether the server is reached over TLS. */
  tls: boolean;
  database: string;
  user: string;
}

/** In `egress.allow_hosts`: every host on the public internet, on ports 80 and 443. */
export const ANY_HOST = '*';

export interface StartInput {
  /** Start is idempotent by this id. */
  instance_id: string;
  agent: string;
  deployment_id: string;
  image: string;
  /** Plain environment; no secrets. */
  env: Record<string, string>;
  /** Handed over before user code runs; never written to a log. */
  secrets: Record<string, string>;
  /** Secrets that stay outside the machine. */
  inject?: Injection[] | undefined;
  /** Without their URLs, which are in `env` and `secrets`. */
  databases?: BoundDatabase[] | undefined;
  /** What the agent's HTTP server requires as bearer (SVC_API_KEY). */
  api_key: string;
  /** What grant tokens addressed to this agent are verified with (SVC_GRANT_KEY): 32 bytes, base64url. */
  grant_key: string;
  /** Decrypts what callers set and what is injected; only for the egress proxy: 32 bytes, base64url. */
  setup_key?: string | undefined;
  resources: { memory_mib: number; cpu_millis: number };
  /** `deny_external`: nothing outside, whatever is allowed; the platform and internal services stay. */
  egress: { allow_hosts: string[]; allow_internal_services: string[]; deny_external?: boolean | undefined };
}

export interface StartOutput {
  instance_id: string;
  /** Content-addressed name of the runtime image the agent runs on. */
  runtime: string;
  /** The agent card as the agent served it; the caller validates it. */
  card: unknown;
}

export interface RuntimeVersion {
  /** Content-addressed name of the runtime image, as in StartOutput. */
  runtime: string;
  /** Content-addressed name of the SDK that builds put into an agent's layer. */
  sdk: string;
  /**
   * What machines run on: hardware virtualization, or software (`tcg`). Absent or unknown: the host cannot
   * say yet.
   */
  accelerator?: 'kvm' | 'tcg' | 'unknown' | undefined;
}

/**
 * awake, paused (memory kept), suspended (own memory file), cold (nothing but the image), failed (could not
 * be started again).
 */
export type InstanceTier = 'awake' | 'paused' | 'suspended' | 'cold' | 'failed';

export interface InstanceStatus {
  instance_id: string;
  agent: string;
  deployment_id: string;
  image: string;
  tier: InstanceTier;
  /** Milliseconds since the epoch. */
  started_at: number;
  last_used_at: number;
  memory_bytes: number;
  /** Out of service by its own health(), in its author's words (the guest's: bounded, not believed). */
  unwell?: { reason: string; since: number } | undefined;
  /** The last ones of this host process, oldest first, each with another time. */
  wakes?: InstanceWake[] | undefined;
}

export interface InstanceWake {
  /** Milliseconds since the epoch. */
  at: number;
  from: 'paused' | 'suspended' | 'cold';
  /** How long it took. */
  ms: number;
  /** How long it had slept. */
  slept_ms: number;
}

export interface LogLine {
  /** Grows by one per line of an instance or build. */
  seq: number;
  /** Milliseconds since the epoch. */
  at: number;
  stream: 'stdout' | 'stderr' | 'system';
  text: string;
}

/** A connection to the outside that `deny_external` refused. */
export interface NetworkDenial {
  /** Grows with each of a host's; a repeated one gets a new number. */
  seq: number;
  instance_id: string;
  host: string;
  port: number;
  /** How often since it was taken last. */
  count: number;
  /** Milliseconds since the epoch. */
  at: number;
}

export interface NetworkDenials {
  /** Numbers of another host program are not to be compared. */
  boot_id: string;
  items: NetworkDenial[];
}

/** What a connection asks before it opens: may this guest reach that host. */
export interface NetworkQuestion {
  question_id: string;
  /** An instance or a sandbox, by its id. */
  guest: string;
  host: string;
  port: number;
}
export interface NetworkAnswer {
  question_id: string;
  allowed: boolean;
  /** Where it is not, a sentence for who connects. */
  reason: string;
}
export interface NetworkExchange {
  /** False: no account has rules, so the host asks nothing until it is true again. */
  ask: boolean;
  answers: readonly NetworkAnswer[];
  /** How long to wait for a question, milliseconds. */
  wait_ms: number;
}

export interface AgentRuntime {
  /** Builds in a microVM of its own whose egress is the package registries only. Throws RuntimeError. */
  build(input: BuildInput, onLog: (line: Omit<LogLine, 'seq'>) => void, signal: AbortSignal): Promise<BuildOutput>;
  /**
   * Boot, wait for health, read the card, warm up, snapshot. Throws RuntimeError with the agent's own last
   * words in `log`.
   */
  start(input: StartInput, onLog: (line: Omit<LogLine, 'seq'>) => void, signal: AbortSignal): Promise<StartOutput>;
  /** Ends an instance and frees what it held; idempotent. */
  stop(instanceId: string): Promise<void>;
  /** Moves an idle instance to a tier by hand (the host does so automatically when idle). */
  sleep(instanceId: string, tier: 'paused' | 'suspended' | 'cold'): Promise<void>;
  /**
   * Brings an instance to `awake`; resolves when it answers. Waiters are bounded: code `wake_queue_full`
   * beyond.
   */
  wake(instanceId: string): Promise<void>;
  /**
   * From now on, also after a restart of the host, with what is open: whether the instance reaches nothing
   * outside. Throws not_found.
   */
  restrict(instanceId: string, network: { deny_external: boolean }): Promise<void>;
  /** What was refused after that number; what is not after it is forgotten. */
  networkDenials(after?: { boot_id: string; seq: number }): Promise<NetworkDenials>;
  /** Takes answers and gives questions. Each is given to one who asks, and again where no answer comes. */
  networkQuestions(exchange: NetworkExchange): Promise<NetworkQuestion[]>;
  instances(): Promise<InstanceStatus[]>;
  /** What agents that are built and started now run on. */
  current(): Promise<RuntimeVersion>;
  /** Lines after `after` (exclusive), oldest first. */
  logs(instanceId: string, options?: { after?: number; limit?: number }): Promise<LogLine[]>;
  /** Of the instance's HTTP server; the first bytes of a connection wake it. */
  address(instanceId: string): AgentAddress;
  /**
   * Deletes images and instances not named; for the reaper. Spares instances started at or after
   * `started_before` (ms since the epoch).
   */
  keepOnly(keep: {
    instances: string[];
    images: string[];
    started_before?: number | undefined;
    /**
     * Those of these instances in which runs are open, as the platform knows: an agent's own report of
     * waiting runs no longer counts.
     */
    with_runs?: string[] | undefined;
  }): Promise<{ stopped: string[]; deleted: string[] }>;
}

/**
 * `build_failed`, `checks_failed`, `start_failed` and `startup_failed` (the author's hook) are the user's to
 * mend; the others are ours or the machine's.
 */
export type RuntimeErrorCode = CodesAmong<
  | 'build_failed'
  | 'checks_failed'
  | 'start_failed'
  | 'startup_failed'
  | 'unhealthy'
  | 'not_found'
  | 'cancelled'
  | 'disk_full'
  | 'wake_queue_full'
  | 'host_unreachable'
  | 'internal'
>;

export class RuntimeError extends Error {
  readonly code: RuntimeErrorCode;
  constructor(code: RuntimeErrorCode, message: string) {
    super(message);
    this.name = 'RuntimeError';
    this.code = code;
  }
}

const FINAL: ReadonlySet<RuntimeErrorCode> = new Set(['build_failed', 'checks_failed', 'start_failed', 'startup_failed', 'unhealthy']);

/** The agent's author has to mend it; a retry cannot help. */
export function isFinal({ code }: RuntimeError): boolean {
  return FINAL.has(code);
}
