// What processes run of this area.
import type { AreaLoop } from '../kernel/loop.ts';
import type { WorkflowOwners } from '../kernel/lost-workflow.ts';
import { mailWaits } from './inbox/mail-waits.ts';
import { ownerOfWait } from './wait/lost.ts';

export const pauseLoops: readonly AreaLoop[] = [{ name: 'mail of waits', everyMs: 15_000, run: (ctx) => mailWaits(ctx) }];

/** By type of workflow: what becomes of its work when it is lost. */
export const pauseOwners = { humanWait: ownerOfWait } satisfies WorkflowOwners;
