// What processes run of this area.
import type { AreaLoop } from '../kernel/loop.ts';
import { sweepDevBoxes } from './dev-box/sweep.ts';

export const identityLoops: readonly AreaLoop[] = [{ name: 'dev boxes', everyMs: 60_000, run: (ctx) => sweepDevBoxes(ctx) }];
