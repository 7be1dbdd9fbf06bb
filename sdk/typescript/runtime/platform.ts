// The part of the run context that needs the platform: artifacts, people, other agents, workspaces, sandboxes.
import type { ArtifactRef } from '../../../contract/wire/events.ts';
import type { Grant } from '../../../contract/wire/grant.ts';
import type { CallOptions, CallResult, Sandbox, ScopeRequest, Workspace } from '../authoring/context.ts';
import { NotAvailable, SandboxUnavailable } from '../authoring/errors.ts';

/** What a platform needs to know of the run it serves. */
export interface RunIdentity {
  runId: string;
  requestId: string;
  agent: string;
  skill: string;
  signal: AbortSignal;
}

export interface RunPlatform {
  writeArtifact(run: RunIdentity, name: string, data: Uint8Array, mimeType: string): Promise<ArtifactRef>;
  ask(run: RunIdentity, prompt: string, timeoutSeconds: number): Promise<string>;
  answer(run: RunIdentity, questionId: string, answer: string): boolean;
  call(run: RunIdentity, target: string, skill: string, args: Record<string, unknown>, options: CallOptions): Promise<CallResult>;
  requestScope(run: RunIdentity, request: ScopeRequest): Promise<Grant>;
  denyScope(run: RunIdentity, requestId: string, reason: string): boolean;
  resolveScopeGrant(run: RunIdentity, requestId: string, grantToken: string): boolean;
  workspace(run: RunIdentity): Workspace;
  sandbox(run: RunIdentity): Sandbox;
}

/** Where no platform is attached: each method says so by name. */
export const noPlatform: RunPlatform = {
  writeArtifact: async () => refuse('writeArtifact()'),
  ask: async () => refuse('ask()'),
  answer: () => refuse('answer()'),
  call: async () => refuse('call()'),
  requestScope: async () => refuse('requestScope()'),
  denyScope: () => refuse('denyScope()'),
  resolveScopeGrant: () => refuse('resolveScopeGrant()'),
  workspace: () => ({
    search: async () => refuse('workspace.search()'),
    openView: async () => refuse('workspace.openView()'),
    requestAccess: async () => refuse('workspace.requestAccess()'),
    listGrants: async () => refuse('workspace.listGrants()'),
    delegate: async () => refuse('workspace.delegate()'),
    installGrant: () => refuse('workspace.installGrant()'),
  }),
  sandbox: () => ({
    create: async () => noSandbox(),
    get: async () => noSandbox(),
    list: async () => noSandbox(),
    remove: async () => noSandbox(),
    runPython: async () => noSandbox(),
    runShell: async () => noSandbox(),
  }),
};

function refuse(what: string): never {
  throw new NotAvailable(what);
}

function noSandbox(): never {
  throw new SandboxUnavailable();
}
