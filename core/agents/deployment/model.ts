import type { DeploymentState } from '#contract/states.ts';

export type { DeploymentState };
/** Not decided yet. */
export const openDeployments: DeploymentState[] = ['queued', 'building', 'starting', 'verifying'];
