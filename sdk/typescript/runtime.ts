/// <reference types="node" preserve="true" />
// @svc/sdk/runtime: what a host imports to serve an agent.
export { startAgent, type StartedAgent, type StartOptions } from './runtime/start.ts';
export { createAgentServer, type AgentServer, type AgentSource } from './runtime/server.ts';
export type { AgentServerOptions, Credentials } from './runtime/options.ts';
export type { RunOrigin } from './runtime/origin.ts';
export type { GrantWithToken as HeldGrant, PendingRequest, PendingRequests } from './runtime/pending.ts';
export type { RunIdentity, RunPlatform, RunServices, WorkspaceServices } from './runtime/platform.ts';
export { localPlatform, type LocalAgents, type LocalOptions, type LocalPlatform, type LocalQuestion, type LocalScopeRequest } from './platform/local.ts';
export { controlPlane, type ControlPlaneOptions } from './platform/control-plane.ts';
export { safeFetch, UnsafeRequest, type SafeRequest, type SafeResponse } from './authoring/safe-fetch.ts';
