/// <reference types="node" preserve="true" />
// @svc/sdk/runtime: what a host imports to serve an agent.
export { startAgent, type StartedAgent, type StartOptions } from './runtime/start.ts';
export { createAgentServer, type AgentServer } from './runtime/server.ts';
export type { AgentServerOptions, Credentials } from './runtime/options.ts';
export type { RunIdentity, RunPlatform } from './runtime/platform.ts';
