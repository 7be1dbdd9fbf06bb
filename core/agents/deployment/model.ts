export type DeploymentState = 'queued' | 'building' | 'starting' | 'verifying' | 'live' | 'superseded' | 'failed' | 'cancelled';
/** Not decided yet. */
export const openDeployments: DeploymentState[] = ['queued', 'building', 'starting', 'verifying'];

export interface Fault {
  code: string;
  message: string;
}
