// The routes between a running agent and the platform. Not in the public registry: only agents' runtimes use
// them.
import { callerResources } from './caller-resources.ts';
import { protocolTasks } from './protocol-tasks.ts';
import { runContext } from './run-context.ts';

const runContract = { run: runContext, resources: callerResources, tasks: protocolTasks };
export type RunContract = typeof runContract;
