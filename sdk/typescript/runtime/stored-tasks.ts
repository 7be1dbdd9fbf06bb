// Tasks of A2A and MCP as the platform stores them, for all versions of an agent. Where no platform does,
// they live only in their process.
import { createHash } from 'node:crypto';
import { MAX_TASK_SNAPSHOT } from '../../../contract/run/protocol-tasks.ts';
import type { PushVersion, TaskProtocol } from '../../../contract/states.ts';
import type { Owner } from './owner.ts';
import type { RunOrigin } from './origin.ts';
import type { CallerIdentity } from './platform.ts';

/** A change of a task, as one version of the protocol says it to push addresses. */
export interface TaskUpdate {
  version: PushVersion;
  contentType: string;
  body: string;
}

export interface TaskToWrite {
  protocol: TaskProtocol;
  owner: string;
  /** Hash of the context (contextKey), where the protocol has one. */
  contextKey: string | null;
  /** The protocol's own word. */
  status: string;
  over: boolean;
  /** Ids of open questions. */
  questions: readonly string[];
  snapshot: string;
  retentionSeconds: number;
}

export interface PushAddress {
  id: string;
  url: string;
  version: PushVersion;
  scheme: string;
  credentials: string;
  token: string;
}

/** The task of one run, written with the run's own credential. */
export interface RunTask {
  /** @throws WriteRefused */
  write(task: TaskToWrite & { updates: readonly TaskUpdate[] }): Promise<void>;
  /** @throws PushRefused */
  setPush(push: PushAddress & { namedBy: string }): Promise<void>;
  removePush(id: string): Promise<void>;
}

/** The platform does not store it: trying again cannot help. */
export class WriteRefused extends Error {}

/** The platform sends nothing there. Its message says why. */
export class PushRefused extends Error {}

export interface StoredTask {
  id: string;
  runId: string;
  over: boolean;
  /** The run ended so, and its machine did not say what came of it. */
  endedAs: 'succeeded' | 'failed' | 'cancelled' | null;
  snapshot: string;
}

interface TaskQuery {
  limit: number;
  cursor?: string | undefined;
  contextKey?: string | undefined;
  status?: string | undefined;
  changedAfter?: string | undefined;
  /** Only with an open question. */
  open?: true;
}

/** The caller's own tasks of this agent, whichever version began them. */
export interface CallersTasks {
  get(id: string): Promise<StoredTask | undefined>;
  list(query: TaskQuery): Promise<{ items: readonly StoredTask[]; next: string | null; total: number }>;
  pushes(id: string): Promise<readonly PushAddress[]>;
}

/** The platform takes it. */
export function fits(text: string): boolean {
  return Buffer.byteLength(text) <= MAX_TASK_SNAPSHOT;
}

export function contextKey(contextId: string): string {
  return createHash('sha256').update(contextId).digest('base64url');
}

/** Who asks for tasks, as the platform is told. */
export function identityOf(
  agent: string,
  { requestId, owner, origin, gone }: { requestId: string; owner: Owner; origin: RunOrigin; gone: AbortSignal },
): CallerIdentity {
  return { agent, requestId, owner: owner.shared ? undefined : owner.key, token: origin.runToken, grant: origin.grant?.token, signal: gone };
}
