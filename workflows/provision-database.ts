// Makes a branch of a database on the server; what fails for an hour is said in the branch. The rows say how
// far it is; this only drives it.
import { ActivityFailure } from '@temporalio/workflow';
import type { DatabaseActivities } from '#activities/databases.ts';
import type { ProvisionDatabaseIn } from './messages.ts';
import { activities } from './queues.ts';

const retry = { maximumInterval: '60s' } as const;
const steps = activities<DatabaseActivities>({ startToCloseTimeout: '60s', scheduleToCloseTimeout: '1h', retry });
const long = activities<DatabaseActivities>({ startToCloseTimeout: '30m', scheduleToCloseTimeout: '1h', heartbeatTimeout: '20s', retry });
const last = activities<DatabaseActivities>({ startToCloseTimeout: '60s', retry });

export async function provisionDatabase({ branch_id }: ProvisionDatabaseIn): Promise<{ state: 'ready' | 'failed' | 'over' }> {
  try {
    if ((await steps.prepareDatabaseProject(branch_id)) === 'over') return { state: 'over' };
    if ((await long.makeDatabase(branch_id)) === 'over') return { state: 'over' };
    if ((await steps.makeDatabaseLogins(branch_id)) === 'over') return { state: 'over' };
    return { state: (await steps.finishDatabaseBranch(branch_id)) === 'done' ? 'ready' : 'over' };
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    await last.failDatabaseBranch(branch_id);
    return { state: 'failed' };
  }
}
