// What processes run of this area.
import type { AreaLoop } from '../kernel/loop.ts';
import { sweepOutbox } from './dispatch.ts';

export const outboxLoops: readonly AreaLoop[] = [{ name: 'outbox', everyMs: 1_000, run: (ctx) => sweepOutbox(ctx) }];
