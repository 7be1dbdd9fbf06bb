// A new password for a role of a database: both are valid until no agent runs with the previous one, an hour
// at most.
import { ActivityFailure, sleep } from '@temporalio/workflow';
import type { DatabaseActivities } from '#activities/databases.ts';
import type { RotateDatabaseIn } from './messages.ts';
import { activities } from './queues.ts';

const retry = { maximumInterval: '60s' } as const;
const making = activities<DatabaseActivities>({ startToCloseTimeout: '60s', scheduleToCloseTimeout: '1h', retry });
const steps = activities<DatabaseActivities>({ startToCloseTimeout: '60s', retry });
const long = activities<DatabaseActivities>({ startToCloseTimeout: '10m', heartbeatTimeout: '20s', retry });

const OVERLAP_MS = 3_600_000;
const FIRST_LOOK_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export async function rotateDatabase({ login_id }: RotateDatabaseIn): Promise<{ state: 'rotated' | 'over' }> {
  try {
    if (!(await making.makeNextDatabaseLogin(login_id))) return { state: 'over' };
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    await steps.giveUpDatabaseRotation(login_id);
    return { state: 'over' };
  }
  await steps.switchDatabaseLogin(login_id);
  let waited = 0;
  let pause = FIRST_LOOK_MS;
  while (waited < OVERLAP_MS && (await steps.replaceDatabaseUsers(login_id)) > 0) {
    await sleep(pause);
    waited += pause;
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
  await long.dropLastDatabaseLogin(login_id);
  return { state: 'rotated' };
}
