// What the host hands the agent's process before any user code runs, and later to a clone. Shared by both
// sides.
import { sdkBundle } from '../build/guest/plan.ts';

/**
 * Where things are inside the guest. Services are unix sockets that the guest's first process bridges to the
 * host.
 */
export const guestPaths = {
  node: '/usr/local/bin/node',
  bun: '/usr/local/bin/bun',
  entry: '/opt/svc/guest/agent.cjs',
  builder: '/opt/svc/guest/build.mjs',
  /** The SDK of this platform, for agents built with it. */
  sdk: `/opt/svc/guest/${sdkBundle}`,
  /** `.cjs`, or `.mjs` where the author's code awaits at the top level. */
  bundle: '/app/svc-agent',
  app: '/app',
  http: '/run/svc/http.sock',
  control: '/run/svc/agent.sock',
  events: '/run/svc/host/events.sock',
  egress: '/run/svc/host/egress.sock',
  /** Certificate authorities of the base image, and with the host's. */
  systemCa: '/etc/ssl/certs/ca-certificates.crt',
  workersCa: '/run/svc/ca.pem',
  /** Present in every real guest. */
  cloneGuard: '/run/svc/init/park.sock',
} as const;

/** Argument of the agent's process in a machine without hardware virtualization. */
export const EMULATED = '--emulated';

/** The in-guest listener behind HTTP_PROXY. */
export const egressPort = 3128;

/**
 * Plain types here: the guest's program loads no validator, every kilobyte of it costs start-up time. The
 * host checks with drivers/runtime/wire.ts.
 */
export interface Identity {
  env: Record<string, string>;
  secrets: Record<string, string>;
  api_key: string;
  /** base64url; empty: no grant is accepted. */
  grant_key: string;
  /** Where programs find the agent's databases; absent: it has none. */
  database_port?: number | undefined;
}

export interface AgentConfig extends Identity {
  bundle: string;
  app: string;
  http: string;
  control: string;
  events: string;
  egress: string;
  egress_port: number;
  /** Variables that name the egress proxy to programs: HTTP_PROXY and the like. */
  proxy_env: Record<string, string>;
  /** Certificate authorities (PEM) to trust beside Node's own, where TLS to the outside is intercepted. */
  ca?: string;
}

export type ControlRequest = { op: 'configure'; identity: Identity } | { op: 'startup' } | { op: 'shutdown' } | { op: 'activity' };
export interface ControlReply {
  ok: boolean;
  message?: string;
  /**
   * Of `activity`: runs and requests that need the machine awake, all that arrived before the question among
   * them.
   */
  working?: number;
}
