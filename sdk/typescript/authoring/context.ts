// The run context: what a skill can do besides computing. The platform's part is behind RunPlatform.
import type { z } from 'zod';
import type { FileType, WorkspaceMode } from '../../../contract/wire/card.ts';
import type { AgentEvent, ArtifactRef } from '../../../contract/wire/events.ts';
import type { Grant } from '../../../contract/wire/grant.ts';
import type { Principal } from './auth.ts';

export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** Given to startup and shutdown. */
export interface LifecycleContext {
  /** @throws SecretMissing */
  secret(name: string): string;
  readonly log: Log;
}

export interface CallResult {
  result: unknown;
  events: readonly AgentEvent[];
  artifacts: readonly ArtifactRef[];
  grantId: string | null;
}

export interface CallOptions {
  /** A grant token from workspace.delegate(). */
  grant?: string;
  /** default 60 */
  timeoutSeconds?: number;
}

export interface ScopeRequest {
  reason: string;
  read?: readonly string[];
  writePrefix?: string | null;
  /** default 60 */
  ttlSeconds?: number;
  /** default read_only */
  mode?: WorkspaceMode;
  /** Seconds to wait for the answer; default 60. */
  timeoutSeconds?: number;
}

export interface RunContext extends LifecycleContext {
  readonly runId: string;
  readonly requestId: string;
  readonly skill: string;
  /** The caller, shaped by the agent's `authModel`; `authAs` gives it typed. */
  readonly auth: Principal;
  authAs<M extends z.ZodType>(model: M): z.output<M>;
  /** Aborts when the caller goes away or the time is up; hand it to fetch and timers. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch by which the skill must be done. */
  readonly deadline: number;

  // Each resolves when the reader can take more: await them and a slow reader slows the skill instead of filling memory.
  emitProgress(message: string, done?: { progress: number; total?: number }): Promise<void>;
  emitTextDelta(text: string): Promise<void>;
  emitEvent(event: AgentEvent): Promise<void>;
  emitArtifact(artifact: ArtifactRef): Promise<void>;
  /** Tells the caller of a problem; the skill goes on. */
  emitError(message: string, code?: string | null): Promise<void>;
  writeArtifact(name: string, data: Uint8Array | string, mimeType: string): Promise<ArtifactRef>;

  /** @throws CancelledByCaller, SkillTimeout */
  checkCancelled(): void;
  /** @throws MissingScopes */
  requireScopes(required: readonly string[]): void;

  /** Asks a person; the skill pauses. @param timeoutSeconds default 180 */
  ask(prompt: string, timeoutSeconds?: number): Promise<string>;
  /** False when no such question is open. */
  answer(questionId: string, answer: string): boolean;
  call(target: string, skill: string, args: Record<string, unknown>, options?: CallOptions): Promise<CallResult>;
  /** @throws ScopeDenied, ScopeExpansionNotAllowed */
  requestScope(request: ScopeRequest): Promise<Grant>;
  denyScope(requestId: string, reason: string): boolean;
  /** @throws GrantInvalid */
  resolveScopeGrant(requestId: string, grantToken: string): boolean;

  readonly workspace: Workspace;
  readonly sandbox: Sandbox;
}

export interface FileMatch {
  path: string;
  fileType: FileType;
  score: number;
  summary: string | null;
  sizeBytes: number;
}

export interface Patch {
  path: string;
  operation: 'write' | 'delete';
  sizeBytes: number;
}

export interface WorkspaceView {
  read(path: string): Promise<Uint8Array>;
  write(path: string, content: Uint8Array | string): Promise<Patch>;
  delete(path: string): Promise<Patch>;
  patches(): Promise<readonly Patch[]>;
}

export interface OpenView {
  purpose: string;
  hints?: readonly string[];
  fileTypes?: readonly FileType[];
  /** default 10 */
  maxFiles?: number;
  mode?: WorkspaceMode;
  reason?: string;
}

export interface Delegation {
  audience: string;
  allowPatterns?: readonly string[];
  denyPatterns?: readonly string[];
  mode?: WorkspaceMode;
  outputsPrefix?: string | null;
  /** default 300 */
  ttlSeconds?: number;
}

export interface Workspace {
  search(query: string, options?: { types?: readonly FileType[]; limit?: number }): Promise<readonly FileMatch[]>;
  openView(options: OpenView): Promise<WorkspaceView>;
  requestAccess(files: readonly string[], options: { mode: WorkspaceMode; reason: string; purpose?: string }): Promise<WorkspaceView>;
  listGrants(): Promise<readonly Grant[]>;
  /** A signed grant token to pass to call(). */
  delegate(options: Delegation): Promise<string>;
  installGrant(grant: Grant): void;
}

export interface ExecResult {
  stdout: string;
  stderr: string;
  exitCode: number;
  truncated: boolean;
}

export interface SandboxSpec {
  name: string;
  /** default python:3.11-slim */
  image?: string;
  /** default 512 */
  memoryMib?: number;
  /** default 1 */
  cpus?: number;
  workspace?: string | null;
  secrets?: readonly string[];
  egress?: readonly string[];
  labels?: Readonly<Record<string, string>>;
}

export interface SandboxHandle {
  exec(command: string, args?: readonly string[], options?: { timeoutSeconds?: number }): Promise<ExecResult>;
  shell(script: string, options?: { timeoutSeconds?: number }): Promise<ExecResult>;
  logs(options?: { tail?: number }): Promise<string>;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export interface Sandbox {
  create(spec: SandboxSpec): Promise<SandboxHandle>;
  get(name: string): Promise<SandboxHandle>;
  list(): Promise<readonly string[]>;
  remove(name: string): Promise<void>;
  runPython(code: string, options?: { image?: string }): Promise<ExecResult>;
  runShell(script: string, options?: { image?: string }): Promise<ExecResult>;
}
