// The code sandbox's port: one microVM per sandbox, for untrusted code. Default driver: this machine's host
// process.
import type { CodesAmong } from '#contract/errors/index.ts';

export interface SandboxCreate {
  /** Unique on the platform; create is idempotent by it. `[A-Za-z0-9][A-Za-z0-9_-]{0,63}` */
  sandbox_id: string;
  /** OCI reference, as a user writes it: `python:3.11-slim`. */
  image: string;
  memory_mib: number;
  cpus: number;
  /** Host names (exact or `*.suffix`) it may reach; empty: none. */
  egress: readonly string[];
  /** Environment of every program; secrets are in it. Never logged. */
  env: Readonly<Record<string, string>>;
  /** Files put below /workspace before the first program; what is there afterwards is read with `changes`. */
  files?: AsyncIterable<SandboxFile>;
  /** Without a program for this long the sandbox is ended, milliseconds. */
  idle_ms: number;
}

export interface SandboxFile {
  /** Relative to /workspace. */
  path: string;
  content: Uint8Array;
}

export interface SandboxExec {
  /** No shell parses this. */
  command: string;
  args: readonly string[];
  /** Relative to /workspace; default /workspace. */
  cwd?: string;
  stdin?: Uint8Array;
  /** The program and all its children are ended then. */
  timeout_ms: number;
}

/**
 * Each of stdout and stderr is kept up to this many bytes: the first half and the last half; `truncated` says
 * so.
 */
export const MAX_OUTPUT_BYTES = 1_048_576;

export interface SandboxExecResult {
  stdout: string;
  stderr: string;
  /** 128 + signal when a signal ended it; 124 when the time was up. */
  exit_code: number;
  truncated: boolean;
  timed_out: boolean;
}

export interface SandboxStatus {
  sandbox_id: string;
  image: string;
  state: 'running' | 'stopped';
  memory_mib: number;
  cpus: number;
  /** Milliseconds since the epoch. */
  created_at: number;
  last_used_at: number;
}

export interface SandboxRuntime {
  /** Rejects with SandboxError: image_unknown, no_capacity, bad_request … */
  create(input: SandboxCreate): Promise<SandboxStatus>;
  get(sandboxId: string): Promise<SandboxStatus | undefined>;
  list(): Promise<SandboxStatus[]>;
  exec(sandboxId: string, exec: SandboxExec, signal: AbortSignal): Promise<SandboxExecResult>;
  /** The newest output of all its programs, `tail` lines. Kept, bounded, also after stop. */
  logs(sandboxId: string, tail: number): Promise<string>;
  /**
   * Files below /workspace that differ from what was put there: content null when deleted. Bounded by
   * maxBytes in all.
   */
  changes(sandboxId: string, maxBytes: number): Promise<{ path: string; content: Uint8Array | null }[]>;
  /** Ends its programs politely (SIGTERM, then SIGKILL after 5 s) and its machine. Logs stay. Idempotent. */
  stop(sandboxId: string): Promise<void>;
  /** Ends its machine at once. Idempotent. */
  kill(sandboxId: string): Promise<void>;
  /** Forgets it and everything of it. Idempotent. */
  remove(sandboxId: string): Promise<void>;
}

export type SandboxErrorCode = CodesAmong<
  'image_unknown' | 'image_failed' | 'no_capacity' | 'not_found' | 'stopped' | 'bad_request' | 'host_unreachable' | 'internal'
>;

export class SandboxError extends Error {
  readonly code: SandboxErrorCode;
  constructor(code: SandboxErrorCode, message: string) {
    super(message);
    this.name = 'SandboxError';
    this.code = code;
  }
}
