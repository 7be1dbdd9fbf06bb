// What processes run of this area.
import type { AreaLoop } from '../kernel/loop.ts';
import { sweepBlobs } from './blob/sweep.ts';
import { sweepUploads } from './upload/sweep.ts';

export const workspaceLoops: readonly AreaLoop[] = [
  { name: 'uploads', everyMs: 600_000, run: (ctx) => sweepUploads(ctx) },
  { name: 'blobs', everyMs: 600_000, run: (ctx) => sweepBlobs(ctx) },
];
