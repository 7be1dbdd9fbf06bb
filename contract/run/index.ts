// The routes between a running agent and the platform, each with the credential of its run. In no document:
// only agents' runtimes use them.
import { callerResources } from './caller-resources.ts';
import { protocolTasks } from './protocol-tasks.ts';
import { runContext } from './run-context.ts';

export const runContract = { runContext, callerResources, protocolTasks };
export type RunContract = typeof runContract;
