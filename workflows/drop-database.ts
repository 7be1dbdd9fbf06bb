// Drops what was deleted, however long the server is away: one branch, or a database with all of them.
import type { DatabaseActivities } from '#activities/databases.ts';
import type { DropDatabaseIn } from './messages.ts';
import { activities } from './queues.ts';

const steps = activities<DatabaseActivities>({ startToCloseTimeout: '60s', retry: { maximumInterval: '5m' } });
const long = activities<DatabaseActivities>({ startToCloseTimeout: '30m', heartbeatTimeout: '20s', retry: { maximumInterval: '5m' } });

export async function dropDatabase(of: DropDatabaseIn): Promise<{ branches: number }> {
  const branches = await steps.databaseBranchesToDrop(of);
  for (const branchId of branches) await long.dropDatabaseBranch(branchId);
  if (of.branch_id === null) await steps.dropDatabaseProject(of.project_id);
  return { branches: branches.length };
}
