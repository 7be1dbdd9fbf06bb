// After an agent was deleted: its machines stop. The host whose worker takes this stops its own at once; each
// other one does at its next look (core/deploys/deployment/reap.ts).
import { setWorkflowOptions, sleep } from '@temporalio/workflow';
import type { DeployActivities } from '#activities/deploy.ts';
import type { RetireIn } from './messages.ts';
import { activities } from './queues.ts';
import { pinned } from './versioning.ts';

const rows = activities<DeployActivities>({ startToCloseTimeout: '60s' });

setWorkflowOptions(pinned, retireAgent);
export async function retireAgent({ agent_id }: RetireIn): Promise<void> {
  await sleep('2s'); // requests that were under way when the route went
  await rows.stopAgent(agent_id);
}
