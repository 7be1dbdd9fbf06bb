// What a host hands to the agent's server. Nothing here is read from the environment: the entry that starts
// the agent does that.
import type { Frontend } from '../../../contract/wire/manifest.ts';
import { MAX_EVENT_LENGTH, MAX_VALUE_BYTES } from '../../../contract/wire/limits.ts';
import type { Entry } from './log.ts';
import type { RunPlatform } from './platform.ts';
import type { Setup } from './setup.ts';

/** What may change while the server runs: after a clone of a snapshot each instance gets its own. */
export interface Credentials {
  /** When set, every route but /healthz and the card requires it as bearer (SVC_API_KEY). */
  apiKey?: string | undefined;
  secrets?: Readonly<Record<string, string>> | undefined;
}

export interface FrontendOptions extends Pick<Frontend, 'mount' | 'auth' | 'mode'> {
  /** Folder with index.html; server-rendered: with server.cjs, and in client/ what is served as it is. */
  dist: string;
  /** The platform in front, which signs people in at /.svc/session; absent where there is none. */
  controlPlaneUrl?: string | undefined;
}

export interface AgentServerOptions extends Credentials {
  /** Checked against the agent's configModel. */
  config?: unknown;
  /** ctx.setup where no platform says what the caller set: the author's own values. */
  setup?: Setup | undefined;
  /**
   * The other half of the run context: controlPlane(…) where an agent is deployed; default: a local one
   * (platform/local.ts), in memory.
   */
  platform?: RunPlatform;
  /** A packed frontend to serve beside the skills. */
  frontend?: FrontendOptions | undefined;
  /** default: JSON lines on stderr */
  onLog?: (entry: Entry) => void;
  /** default 8 MiB, which is what arguments may have at most */
  maxBodyBytes?: number;
  /** Calls that may wait for a place; default 64. */
  maxQueued?: number;
  /** How long a call may wait for a place; default 30 s. */
  maxQueueMs?: number;
  /** Silence after which a stream carries a comment; default 15 s. */
  heartbeatMs?: number;
  /** How long a call of MCP goes on for a client of 2025 whose connection broke; default 30 s. */
  resumeMs?: number;
  /** Push notifications (A2A) may go to this machine; default: without an API key, on an author's own. */
  localPush?: boolean;
  /** How often health() is asked; default 5 s. */
  healthEveryMs?: number;
  /** How long shutdown waits for running skills; default 10 s. */
  drainMs?: number;
}

export const DEFAULTS = {
  maxBodyBytes: MAX_VALUE_BYTES,
  maxQueued: 64,
  maxQueueMs: 30_000,
  drainMs: 10_000,
  healthEveryMs: 5_000,
  resumeMs: 30_000,
  /** A stopped skill that continues regardless keeps its place this long. */
  stopGraceMs: 5_000,
  /** Unsent bytes of one stream after which its reader counts as gone: more than one event may have. */
  maxUnsentBytes: 2 * MAX_EVENT_LENGTH,
} as const;
