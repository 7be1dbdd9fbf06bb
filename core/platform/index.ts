// What processes run of this area.
import type { AreaLoop } from '../kernel/loop.ts';
import { expire } from './housekeeping/expire.ts';

export { type Measured, measure } from './housekeeping/measure.ts';

export const platformLoops: readonly AreaLoop[] = [{ name: 'expire', everyMs: 600_000, run: (ctx) => expire(ctx.db, ctx.clock()) }];
