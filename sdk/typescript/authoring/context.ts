// The run context: what a skill can do besides computing. The platform's part is behind RunPlatform.
import type { TrackCallOptions, MetaRuns } from './meta-runs.ts';
import type { z } from 'zod';
import type { OrganizationRole } from '../../../contract/states.ts';
import type { AgentCard, FileType, WorkspaceMode } from '../../../contract/wire/card.ts';
import type { AgentEvent, ArtifactRef } from '../../../contract/wire/events.ts';
import type { Grant } from '../../../contract/wire/grant.ts';
import type { Principal } from './auth.ts';
import type { Caller } from './caller.ts';
import type { Llm } from './llm.ts';

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
  grant?: string | null;
  /** default 60 */
  timeoutSeconds?: number;
}

export interface AgentQuery {
  /** All of them. */
  tags?: readonly string[];
  /** A member of the card's capabilities. */
  capability?: string | null;
  /** Name of a skill. */
  skill?: string | null;
  /** default 10 */
  limit?: number;
}

export interface DiscoveredAgent {
  name: string;
  /** What a caller passes to call(). */
  url: string | null;
  card: AgentCard;
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

/**
 * Who is asked: `caller`, the account the run works for; `owner`, the account that owns the agent, of an
 * organization its members by their roles; `people`, by addresses or account ids: members of that
 * organization, or accounts that have called the agent and have scopes of it (`svc callers grant`); `role`:
 * any member of that organization who has it. The first answer counts.
 */
export type Recipient = 'caller' | 'owner' | { people: readonly string[] } | { role: OrganizationRole };

export interface AskOptions {
  /**
   * JSON Schema of the answer: the person fills in a form. Clients of other protocols show an object of plain
   * fields (text, number, yes or no, one of a list); anything deeper they ask for as JSON. No `$ref`, no
   * `pattern`.
   */
  schema?: Readonly<Record<string, unknown>>;
  /**
   * default `caller`. What others are asked, the caller neither reads nor answers, unless they are named;
   * they see that it waits and for whom. A caller without an account may wait for it, too. Where nobody can
   * be asked, ask() throws NobodyToAsk at once.
   */
  of?: Recipient;
  /**
   * What the answer is called: the key of the input at clients that file inputs by name (MCP
   * `inputRequests`). Letters, digits, "_", "-" and "."; unique among the open questions of a run. Default:
   * the question's id.
   */
  name?: string;
}

export interface RunContext extends LifecycleContext {
  readonly runId: string;
  readonly requestId: string;
  readonly skill: string;
  /**
   * `traceparent` and `tracestate` (W3C), for spans of your own: OpenTelemetry's propagator reads them as
   * they are. Empty where the platform did not call.
   */
  readonly trace: Readonly<Record<string, string>>;
  /** The caller, shaped by the agent's `authModel`; `authAs` gives it typed. */
  readonly auth: Principal;
  /**
   * Who calls, by the platform's word, whatever the resolver found; null: nobody is known, or no platform is
   * between.
   */
  readonly caller: Caller | null;
  authAs<M extends z.ZodType>(model: M): z.output<M>;
  /** Aborts when the caller goes away or the time is up; hand it to fetch and timers. */
  readonly signal: AbortSignal;
  /**
   * Milliseconds since the epoch by which the skill must be done. It moves on while the run waits for a
   * person.
   */
  readonly deadline: number;
  /**
   * What the caller passed on, verified; null when nothing. A wider grant that was approved since is in the
   * workspace's own.
   */
  readonly grant: Grant | null;

  /**
   * What the caller set for this agent (`consumerSetup`), with defaults; secrets among it. What is required
   * is there on the platform.
   */
  readonly setup: Readonly<Record<string, string | number | boolean>>;

  // Each resolves when the reader can take more: await them and a slow reader slows the skill instead of
  // filling memory.
  emitProgress(message: string, done?: { progress: number; total?: number }): Promise<void>;
  emitTextDelta(text: string): Promise<void>;
  emitEvent(event: AgentEvent): Promise<void>;
  emitArtifact(artifact: ArtifactRef): Promise<void>;
  /** Reports a problem to the caller; the skill continues. */
  emitError(message: string, code?: string | null): Promise<void>;
  writeArtifact(name: string, data: Uint8Array | string, mimeType: string): Promise<ArtifactRef>;

  /** @throws CancelledByCaller, SkillTimeout */
  checkCancelled(): void;
  /** @throws MissingScopes */
  requireScopes(required: readonly string[]): void;

  /**
   * Asks the person the run works for; the skill pauses. Its clock (timeoutSeconds, maxRuntimeSeconds) stands
   * still meanwhile, and its place is free for other calls: it has one again when this returns.
   * @param timeoutSeconds default 180
   * @returns the text; with a schema, the filled-in form as JSON text
   * @throws QuestionTimeout; QuestionDeclined; NobodyToAsk: no account called, nobody has the role, or
   * somebody named is not of the owner's
   */
  ask(prompt: string, timeoutSeconds?: number, options?: AskOptions): Promise<string>;
  /** False when no such question is open. */
  answer(questionId: string, answer: string): Promise<boolean>;
  /**
   * Runs a skill of another agent: its name, or its URL from findAgents(). Ends with this run.
   * @throws CallFailed with the other agent's own code
   */
  call(target: string, skill: string, args: Record<string, unknown>, options?: CallOptions): Promise<CallResult>;
  findAgents(query?: AgentQuery): Promise<readonly DiscoveredAgent[]>;
  /** @throws CallFailed with code agent_not_found */
  getAgent(name: string): Promise<DiscoveredAgent>;
  /**
   * Asks for a wider grant; the new one is verified, installed on the workspace and returned. Pauses as ask()
   * does.
   * @throws ScopeDenied, ScopeExpansionNotAllowed, GrantInvalid
   */
  requestScope(request: ScopeRequest): Promise<Grant>;
  /** False when no such request is open. */
  denyScope(requestId: string, reason: string): Promise<boolean>;
  /** False when no such request is open. @throws GrantInvalid */
  resolveScopeGrant(requestId: string, grantToken: string): Promise<boolean>;

  readonly workspace: Workspace;
  readonly sandbox: Sandbox;
  readonly memory: Memory;
  /**
   * What the agent keeps for all whom it works for, callers without an account included; its owner reads it
   * through the API, too. What a caller may see of it, the agent decides.
   */
  readonly sharedMemory: Memory;
  /** Language models, as svc.yaml declares them (`models`). */
  readonly llm: Llm;
  /** What this agent works at, over many runs. */
  readonly metaRuns: MetaRuns;
  /** Reports a call of another agent that did not go through the platform; the same again changes nothing. */
  trackCall(call: TrackCallOptions): Promise<void>;
}

export interface MemoryEntry {
  readonly namespace: string;
  readonly key: string;
  readonly value: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Grows by one with every write. */
  readonly version: number;
  /** RFC 3339; null: it stays. */
  readonly expiresAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface MemoryPut {
  /** default `default` */
  namespace?: string;
  /** Facts about the value, found by search too. */
  metadata?: Readonly<Record<string, unknown>>;
  ttlSeconds?: number | null;
  /** Only when the entry still has this version; 0: only when there is none. */
  ifVersion?: number;
}

/**
 * What the agent remembers, between runs, of the person it works for. A run that works for no user of the
 * platform has none.
 */
export interface Memory {
  get(key: string, options?: { namespace?: string }): Promise<MemoryEntry | undefined>;
  /**
   * Any JSON, at most 256 KiB, in place of what was there. Undefined when `ifVersion` does not hold: read
   * again, then decide.
   */
  put(key: string, value: unknown, options?: MemoryPut): Promise<MemoryEntry | undefined>;
  /** False when nothing was there. */
  delete(key: string, options?: { namespace?: string }): Promise<boolean>;
  /** By namespace and key. @param options.limit default 50 */
  list(options?: {
    namespace?: string | undefined;
    prefix?: string | undefined;
    limit?: number;
    cursor?: string | null | undefined;
  }): Promise<{ items: readonly MemoryEntry[]; nextCursor: string | null }>;
  /** By words of key, value and metadata; best first. @param options.limit default 10 */
  search(query: string, options?: { namespace?: string | undefined; limit?: number }): Promise<readonly (MemoryEntry & { score: number })[]>;
}

export interface FileMatch {
  path: string;
  fileType: FileType;
  score: number;
  summary: string | null;
  sizeBytes: number;
}

export interface Patch {
  patchId: string;
  path: string;
  operation: 'write' | 'delete';
  sizeBytes: number;
  /** Of the new content, hexadecimal; null for a deletion. */
  sha256: string | null;
  state: 'staged' | 'committed' | 'rejected';
  /** Why it was rejected. */
  reason: string | null;
}

/**
 * Files as one grant shows them. Writes are staged as patches; the platform commits them when the run has
 * succeeded, and rejects them otherwise.
 */
export interface WorkspaceView {
  /** The grant all this happens under. */
  readonly grant: Grant;
  /**
   * What the platform picked (openView) or granted (requestAccess); read() is not limited to them but to the
   * grant.
   */
  readonly files: readonly FileMatch[];
  /** @throws FileNotFound, WorkspaceDenied, GrantInvalid */
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
  /** default read_only */
  mode?: WorkspaceMode;
  /** default: the purpose */
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
  /** What is held now: the caller's, or a wider one that superseded it; null when none. */
  readonly grant: Grant | null;
  /** Files as the grant held now shows them. @throws WorkspaceDenied when none is held */
  view(): Promise<WorkspaceView>;
  /** @param options.limit default 20 */
  search(query: string, options?: { types?: readonly FileType[]; limit?: number }): Promise<readonly FileMatch[]>;
  /**
   * Has files picked for a purpose and asks for access to them; may pause for a person. @throws ScopeDenied
   */
  openView(options: OpenView): Promise<WorkspaceView>;
  /** @throws ScopeDenied */
  requestAccess(files: readonly string[], options: { mode: WorkspaceMode; reason: string; purpose?: string }): Promise<WorkspaceView>;
  listGrants(): Promise<readonly Grant[]>;
  /**
   * A signed grant token to pass to call(). @throws WorkspaceDenied when it is not contained in what is held
   */
  delegate(options: Delegation): Promise<string>;
  /**
   * Replaces what is held by a superseding grant: a token, or a grant this run has been given. @throws
   * GrantInvalid
   */
  installGrant(grant: Grant | string): Promise<void>;
}

export interface ExecResult {
  stdout: string;
  stderr: string;
  exitCode: number;
  truncated: boolean;
  timedOut: boolean;
}

export interface SandboxSpec {
  name: string;
  /** default python:3.11-slim */
  image?: string;
  /** default 512 */
  memoryMib?: number;
  /** default 1 */
  cpus?: number;
  /** A grant token; its files are at /workspace, and changes to them are staged as patches. */
  workspace?: string | null;
  /** Names of the agent's secrets; set as environment variables. */
  secrets?: readonly string[];
  egress?: readonly string[];
  labels?: Readonly<Record<string, string>>;
}

export interface SandboxHandle {
  readonly name: string;
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
  runPython(code: string, options?: { image?: string; timeoutSeconds?: number }): Promise<ExecResult>;
  runShell(script: string, options?: { image?: string; timeoutSeconds?: number }): Promise<ExecResult>;
}
