// What processes run of this area.
import type { AreaLoop } from '../kernel/loop.ts';
import { startAgain, type WorkflowOwners } from '../kernel/lost-workflow.ts';
import { measureDatabases, tendServer } from './database/tend.ts';

export const agentLoops: readonly AreaLoop[] = [
  { name: 'database-server', everyMs: 10_000, run: (ctx, { node }) => tendServer(ctx, node) },
  { name: 'databases', everyMs: 10_000, run: (ctx) => measureDatabases(ctx) },
];

/** By type of workflow: what becomes of its work when it is lost. */
export const agentOwners = {
  provisionDatabase: startAgain,
  dropDatabase: startAgain,
  rotateDatabase: startAgain,
  provisionMailbox: startAgain,
  verifyDomain: startAgain,
  renewCertificate: startAgain,
} satisfies WorkflowOwners;
