// What processes run of this area.
import type { AreaLoop } from '../kernel/loop.ts';
import { sweepBlobs } from './blob/sweep.ts';

export const workspaceLoops: readonly AreaLoop[] = [{ name: 'blobs', everyMs: 600_000, run: (ctx) => sweepBlobs(ctx) }];
