export type DeploymentState = 'queued' | 'building' | 'starting' | 'verifying' | 'live' | 'superseded' | 'failed' | 'cancelled';
/** Not decided yet. */
export const openDeployments: DeploymentState[] = ['queued', 'building', 'starting', 'verifying'];

export type { JobError as Fault } from '../../jobs/model.ts';
