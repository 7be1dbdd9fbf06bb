// What running agents ask, each with the credential of its run. It is in no document and has no client but the runtime's.
import { callerResources } from './caller-resources.ts';
import { protocolTasks } from './protocol-tasks.ts';
import { runContext } from './run-context.ts';

export const runContract = { runContext, callerResources, protocolTasks };
export type RunContract = typeof runContract;
