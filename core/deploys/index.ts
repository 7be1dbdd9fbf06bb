// What processes run of this area.
import type { AreaLoop } from '../kernel/loop.ts';
import { ownerOfJob } from '../jobs/long-work.ts';
import { startAgain, type WorkflowOwners } from '../kernel/lost-workflow.ts';
import { abandonDeployment } from './deployment/abandon.ts';
import { answerHost } from './deployment/egress.ts';
import { noteLostMachines } from './deployment/lost-machines.ts';
import { takeNetworkDenials, tellHost } from './deployment/network.ts';
import { noteHealth } from './deployment/note-health.ts';
import { reapHost } from './deployment/reap.ts';
import { abandonRepair } from './healing/steps.ts';
import { beginRepairs } from './healing/watch.ts';
import { deployForgottenPushes } from './repository/pending.ts';
import { keepTemplates, offerUpdates } from './template/tend.ts';
import { sweepUptime } from './uptime/sweep.ts';

export const deployLoops: readonly AreaLoop[] = [
  { name: 'health', everyMs: 5_000, run: (ctx, { node }) => noteHealth(ctx, node) },
  { name: 'network', everyMs: 2_000, run: (ctx, { node }) => tellHost(ctx, node) },
  { name: 'network-questions', everyMs: 50, run: (ctx) => answerHost(ctx) },
  { name: 'network-denials', everyMs: 2_000, run: (ctx, { node }) => takeNetworkDenials(ctx, node) },
  { name: 'healing', everyMs: 5_000, run: (ctx) => beginRepairs(ctx) },
  { name: 'pushes', everyMs: 10_000, run: (ctx) => deployForgottenPushes(ctx) },
  { name: 'reap', everyMs: 60_000, run: (ctx, { node }) => reapHost(ctx, node) },
  { name: 'lost machines', everyMs: 10_000, run: (ctx, { node }) => noteLostMachines(ctx, node) },
  { name: 'uptime', everyMs: 600_000, run: (ctx) => sweepUptime(ctx) },
  { name: 'templates', everyMs: 600_000, run: async (ctx) => [await keepTemplates(ctx), await offerUpdates(ctx)] },
];

/** By type of workflow: what becomes of its work when it is lost. */
export const deployOwners = {
  deployAgent: ownerOfJob(abandonDeployment),
  selfHeal: ownerOfJob(abandonRepair),
  retireAgent: startAgain,
} satisfies WorkflowOwners;
