// What processes run of this area.
import type { AreaLoop } from '../kernel/loop.ts';
import { ownerOfJob } from '../jobs/abandon.ts';
import { startAgain, type WorkflowOwners } from '../kernel/lost-workflow.ts';
import { measureDatabases, tendServer } from './database/tend.ts';
import { abandonDeployment } from './deployment/abandon.ts';
import { answerHost } from './deployment/egress.ts';
import { noteLostMachines } from './deployment/lost-machines.ts';
import { takeNetworkDenials, tellHost } from './deployment/network.ts';
import { noteHealth } from './deployment/note-health.ts';
import { reapHost } from './deployment/reap.ts';
import { probeImports } from './import/probe.ts';
import { abandonRepair } from './healing/steps.ts';
import { beginRepairs } from './healing/watch.ts';
import { abandonReview } from './review/steps.ts';
import { keepTemplates, offerUpdates } from './template/tend.ts';
import { sweepUptime } from './uptime/sweep.ts';
import { deployForgottenPushes } from './repository/pending.ts';

export const agentLoops: readonly AreaLoop[] = [
  { name: 'health', everyMs: 5_000, run: (ctx, { node }) => noteHealth(ctx, node) },
  { name: 'network', everyMs: 2_000, run: (ctx, { node }) => tellHost(ctx, node) },
  { name: 'network-questions', everyMs: 50, run: (ctx) => answerHost(ctx) },
  { name: 'network-denials', everyMs: 2_000, run: (ctx, { node }) => takeNetworkDenials(ctx, node) },
  { name: 'database-server', everyMs: 10_000, run: (ctx, { node }) => tendServer(ctx, node) },
  { name: 'databases', everyMs: 10_000, run: (ctx) => measureDatabases(ctx) },
  { name: 'healing', everyMs: 5_000, run: (ctx) => beginRepairs(ctx) },
  { name: 'pushes', everyMs: 10_000, run: (ctx) => deployForgottenPushes(ctx) },
  { name: 'reap', everyMs: 60_000, run: (ctx, { node }) => reapHost(ctx, node) },
  { name: 'lost machines', everyMs: 10_000, run: (ctx, { node }) => noteLostMachines(ctx, node) },
  { name: 'imports', everyMs: 15_000, run: (ctx) => probeImports(ctx) },
  { name: 'uptime', everyMs: 600_000, run: (ctx) => sweepUptime(ctx) },
  { name: 'templates', everyMs: 600_000, run: async (ctx) => [await keepTemplates(ctx), await offerUpdates(ctx)] },
];

/** By type of workflow: what becomes of its work when it is lost. */
export const agentOwners = {
  deployAgent: ownerOfJob(abandonDeployment),
  reviewAgent: ownerOfJob(abandonReview),
  selfHeal: ownerOfJob(abandonRepair),
  retireAgent: startAgain,
  provisionDatabase: startAgain,
  dropDatabase: startAgain,
  rotateDatabase: startAgain,
  provisionMailbox: startAgain,
  verifyDomain: startAgain,
  renewCertificate: startAgain,
} satisfies WorkflowOwners;
