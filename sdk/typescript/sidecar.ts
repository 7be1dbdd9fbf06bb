/// <reference types="node" preserve="true" />
// @svc/sdk/sidecar: what serves an agent whose handlers run in a worker (Python, Go, Rust …).
export { startSidecar, type SidecarOptions } from './sidecar/start.ts';
export { WorkerFailed } from './sidecar/errors.ts';
export { compileService, ServiceInvalid, type ServiceProject } from './sidecar/service/compile.ts';
export { runSidecar, type SidecarArguments } from './sidecar/main.ts';
export type { WorkerSource } from './sidecar/supervisor.ts';
export type { WorkerCommand } from './sidecar/process.ts';
export type { StartedAgent } from './runtime/start.ts';
export { AgentDsl } from '../../contract/wire/dsl.ts';
