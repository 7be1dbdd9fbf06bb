// What happens to databases outside of workflows: thin over core/agents/database.
import { branchesToDrop, dropBranch, dropProject } from '#core/agents/database/drop.ts';
import { failBranch, finishBranch, makeDatabase, makeLogins, prepareProject, type ProvisionStep } from '#core/agents/database/provision.ts';
import { dropLastLogin, giveUpRotation, makeNextLogin, replaceUsers, switchLogin } from '#core/agents/database/rotate.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { longRunning } from './long-running.ts';

export type DatabaseActivities = ReturnType<typeof createDatabaseActivities>;

export function createDatabaseActivities(deps: Omit<Ctx, 'actor' | 'requestId'>) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'databases' }, requestId: newId('req', deps.clock()) });
  return {
    prepareDatabaseProject: (branchId: string): Promise<ProvisionStep> => prepareProject(platform(), branchId),
    /** A copy takes as long as what is in it. */
    makeDatabase: (branchId: string): Promise<ProvisionStep> => longRunning(() => makeDatabase(platform(), branchId)),
    makeDatabaseLogins: (branchId: string): Promise<ProvisionStep> => makeLogins(platform(), branchId),
    finishDatabaseBranch: (branchId: string): Promise<ProvisionStep> => finishBranch(platform(), branchId),
    failDatabaseBranch: (branchId: string): Promise<void> =>
      failBranch(platform(), branchId, {
        code: 'provisioning_failed',
        message: 'It could not be set up: create it again, and ask the operators if it stays so',
      }),

    databaseBranchesToDrop: (of: { project_id: string; branch_id: string | null }): Promise<string[]> => branchesToDrop(platform(), of),
    dropDatabaseBranch: (branchId: string): Promise<void> => longRunning(() => dropBranch(platform(), branchId)),
    dropDatabaseProject: (projectId: string): Promise<void> => dropProject(platform(), projectId),

    makeNextDatabaseLogin: (loginId: string): Promise<boolean> => makeNextLogin(platform(), loginId),
    switchDatabaseLogin: (loginId: string): Promise<void> => switchLogin(platform(), loginId),
    replaceDatabaseUsers: (loginId: string): Promise<number> => replaceUsers(platform(), loginId),
    dropLastDatabaseLogin: (loginId: string): Promise<void> => longRunning(() => dropLastLogin(platform(), loginId)),
    giveUpDatabaseRotation: (loginId: string): Promise<void> => giveUpRotation(platform(), loginId),
  };
}
