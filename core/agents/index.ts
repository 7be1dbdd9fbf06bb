// What processes run of this area.
import type { AreaLoop } from '../kernel/loop.ts';
import { abandonDeployment } from './deployment/abandon.ts';
import { noteHealth } from './deployment/note-health.ts';
import { reapHost } from './deployment/reap.ts';
import { probeImports } from './import/probe.ts';

export const agentLoops: readonly AreaLoop[] = [
  { name: 'health', everyMs: 5_000, run: (ctx, { node }) => noteHealth(ctx, node) },
  { name: 'reap', everyMs: 60_000, run: (ctx, { node }) => reapHost(ctx, node) },
  { name: 'imports', everyMs: 15_000, run: (ctx) => probeImports(ctx) },
];

/** By kind of job: ends one whose workflow is gone. */
export const agentAbandons = { deploy: abandonDeployment };
