// What processes run of this area.
import type { AreaLoop } from '../kernel/loop.ts';
import { abandonDeployment } from './deployment/abandon.ts';
import { noteHealth } from './deployment/note-health.ts';
import { reapHost } from './deployment/reap.ts';
import { deployForgottenPushes } from './repository/pending.ts';

export const agentLoops: readonly AreaLoop[] = [
  { name: 'health', everyMs: 5_000, run: (ctx, { node }) => noteHealth(ctx, node) },
  { name: 'pushes', everyMs: 60_000, run: (ctx) => deployForgottenPushes(ctx) },
  { name: 'reap', everyMs: 60_000, run: (ctx, { node }) => reapHost(ctx, node) },
];

/** By kind of job: ends one whose workflow is gone. */
export const agentAbandons = { deploy: abandonDeployment };
