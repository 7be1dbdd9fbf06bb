// Drops what was deleted, however long the server is away: one branch, or a database with all of them.
import { proxyActivities } from '@temporalio/workflow';
import type { DatabaseActivities } from '#activities/databases.ts';
import type { DropDatabaseIn } from './messages.ts';

const steps = proxyActivities<DatabaseActivities>({ startToCloseTimeout: '60s', retry: { maximumInterval: '5m' } });
const long = proxyActivities<DatabaseActivities>({ startToCloseTimeout: '30m', heartbeatTimeout: '20s', retry: { maximumInterval: '5m' } });

export async function dropDatabase(of: DropDatabaseIn): Promise<{ branches: number }> {
  const branches = await steps.databaseBranchesToDrop(of);
  for (const branchId of branches) await long.dropDatabaseBranch(branchId);
  if (of.branch_id === null) await steps.dropDatabaseProject(of.project_id);
  return { branches: branches.length };
}
