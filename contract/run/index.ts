// The routes between a running agent and the platform. Not in the public registry: agents' runtimes alone speak them.
import { runContext } from './run-context.ts';

export const runContract = { run: runContext };
export type RunContract = typeof runContract;
