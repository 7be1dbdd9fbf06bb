// The part of the run context that needs a platform: artifacts, people, other agents, workspaces, sandboxes.
// Two implementations are in ../platform: the control plane's, and a local one for the author's laptop and
// for tests.
import type { TrackCallOptions, MetaRuns } from '../authoring/meta-runs.ts';
import type { WorkspaceAccess, WorkspaceMode } from '../../../contract/wire/card.ts';
import type { ArtifactRef, CalledWait } from '../../../contract/wire/events.ts';
import type { Grant } from '../../../contract/wire/grant.ts';
import type {
  AgentQuery,
  CallOptions,
  CallResult,
  Delegation,
  DiscoveredAgent,
  FileMatch,
  Memory,
  OpenView,
  Patch,
  Recipient,
  Sandbox,
} from '../authoring/context.ts';
import type { TaskProtocol } from '../../../contract/states.ts';
import type { ModelPort } from '../llm/port.ts';
import type { CallersTasks, RunTask } from './stored-tasks.ts';
import type { PendingRequests } from './pending.ts';

/** What a platform needs to know of the run it serves. */
export interface RunIdentity {
  runId: string;
  requestId: string;
  agent: string;
  skill: string;
  signal: AbortSignal;
  /** The run credential that came with the call; undefined where no platform called. */
  token: string | undefined;
  /** The caller, where one caller differs from another. */
  owner?: string | undefined;
  /** The agent's own, from its card. */
  policy: WorkspaceAccess;
  /** @throws SecretMissing */
  secret(name: string): string;
  pending: PendingRequests;
}

/** The outcome of a wait. A token is not verified yet. */
export type Settled =
  | { state: 'answered'; answer: string }
  | { state: 'approved'; token: string }
  | { state: 'allowed' }
  | { state: 'denied'; reason: string }
  | { state: 'expired' };

/** An answer to a request for access: at once, or later through PendingRequests. */
export type Access = ({ state: 'approved'; token: string } | { state: 'pending' } | { state: 'denied'; reason: string }) & { files: readonly FileMatch[] };

export interface RequestedScope {
  reason: string;
  read: readonly string[];
  writePrefix: string | null;
  ttlSeconds: number;
  mode: WorkspaceMode;
  timeoutSeconds: number;
}

/**
 * Files under a grant. `token` null: no grant is held yet, and only the agent's policy says what may be seen.
 */
export interface WorkspaceServices {
  search(token: string | null, query: string, options: { types: readonly string[]; limit: number }): Promise<readonly FileMatch[]>;
  openView(requestId: string, token: string | null, view: OpenView, timeoutSeconds: number): Promise<Access>;
  requestAccess(
    requestId: string,
    token: string | null,
    files: readonly string[],
    asked: { mode: WorkspaceMode; reason: string; purpose: string },
    timeoutSeconds: number,
  ): Promise<Access>;
  listGrants(): Promise<readonly Grant[]>;
  /** A token for the audience. */
  delegate(token: string | null, delegation: Delegation): Promise<string>;
  read(token: string, path: string): Promise<Uint8Array>;
  write(token: string, path: string, content: Uint8Array): Promise<Patch>;
  delete(token: string, path: string): Promise<Patch>;
  patches(token: string): Promise<readonly Patch[]>;
}

/** One run's share of the platform. */
export interface RunServices {
  writeArtifact(name: string, data: Uint8Array, mimeType: string): Promise<ArtifactRef>;
  /** Asks the user; the outcome comes through PendingRequests, or at once. @throws NobodyToAsk */
  openQuestion(question: {
    id: string;
    prompt: string;
    timeoutSeconds: number;
    of?: Recipient;
    schema?: Readonly<Record<string, unknown>>;
  }): Promise<Settled | undefined>;
  requestScope(requestId: string, token: string | null, asked: RequestedScope): Promise<Access>;
  /** The run no longer waits: what had become of it by then; undefined when it was still open. */
  giveUp(waitId: string): Promise<Settled | undefined>;
  /**
   * A call that the platform holds until a person has decided: what has become of it; undefined: nothing yet.
   * @throws when it holds none under that id
   */
  lookAtHandoff(waitId: string): Promise<Settled | undefined>;
  /**
   * `onWait`: the called agent waits for a person, or continues; `onAsked`: what it asks, all that is open.
   */
  call(
    target: string,
    skill: string,
    args: Record<string, unknown>,
    options: CallOptions & { onWait?: (waits: boolean) => void; onAsked?: (open: readonly CalledWait[]) => void },
  ): Promise<CallResult>;
  findAgents(query: AgentQuery): Promise<readonly DiscoveredAgent[]>;
  getAgent(name: string): Promise<DiscoveredAgent>;
  readonly workspace: WorkspaceServices;
  readonly sandbox: Sandbox;
  readonly memory: Memory;
  readonly sharedMemory: Memory;
  readonly models: ModelPort;
  readonly metaRuns: MetaRuns;
  trackCall(call: TrackCallOptions): Promise<void>;
  /** The run is over; staged patches are committed or rejected by it. */
  end?(outcome: 'succeeded' | 'failed'): void;
}

/** Who asks over a protocol with lists of its own; no run. */
export interface CallerIdentity {
  agent: string;
  requestId: string;
  /** Equal for equal callers (runtime/owner.ts); undefined where they cannot be distinguished. */
  owner: string | undefined;
  /** The credential that came with the request; undefined where no platform called. */
  token: string | undefined;
  /** A grant token that came with the request. */
  grant: string | undefined;
  signal: AbortSignal;
}

export interface CallerPage<T> {
  items: readonly T[];
  /** Null on the last page; a page may be short before. */
  next: string | null;
}
export interface CallerArtifact {
  runId: string;
  name: string;
  mimeType: string;
  sizeBytes: number;
}
interface CallerFile {
  workspace: string;
  path: string;
  mimeType: string;
  sizeBytes?: number;
}
export interface CallerContent {
  mimeType: string;
  data: Uint8Array;
}

/** Its message says where to get what was asked for. */
export class ContentTooLarge extends Error {}

/**
 * What the caller has here and may be shown: artifacts of its own runs, files it granted to this agent. What
 * it may not see is undefined.
 */
export interface CallerResources {
  artifacts(page: { limit: number; cursor: string | null }): Promise<CallerPage<CallerArtifact>>;
  /** `link`: the token of its address. @throws ContentTooLarge */
  artifact(runId: string, name: string, link?: string): Promise<CallerContent | undefined>;
  files(page: { limit: number; cursor: string | null }): Promise<CallerPage<CallerFile>>;
  /** @throws ContentTooLarge */
  file(workspace: string, path: string): Promise<CallerContent | undefined>;
  /** Absent: tasks live only in their process. `owner`: key of the caller (runtime/owner.ts). */
  tasks?(whose: { protocol: TaskProtocol; owner: string }): CallersTasks;
}

export interface RunPlatform {
  /** The key of an agent's grant tokens (SVC_GRANT_KEY), 32 bytes; undefined: no grant is accepted. */
  grantKey(agent: string): Uint8Array | undefined;
  /**
   * Under which name grants are addressed to the agent here; absent: the one of its card. A rehearsal runs an
   * agent's code under another.
   */
  agentName?: string | undefined;
  /** Called with a run's first use of it. */
  attach(run: RunIdentity): RunServices;
  caller(identity: CallerIdentity): CallerResources;
  /** Absent: as CallerResources.tasks. */
  taskOf?(run: { token: string; requestId: string }, taskId: string): RunTask;
  /** What GET /artifacts/{run_id}/{name} answers, where the runtime itself serves artifacts. */
  artifact?(runId: string, name: string): { data: Uint8Array; mimeType: string } | undefined;
  /** Where a person of this machine decides: the token of a scope request they approve. */
  approve?(requestId: string): string | undefined;
  /** The runtime's own address, once it listens. */
  listening?(agent: string, url: string): void;
}
