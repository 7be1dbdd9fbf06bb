// A plan goes on from the process that advances it: it drives the steps that it begins, and looks for the
// next when one has ended. The plan's workflow hears of each end as well and advances again, which then finds
// nothing to do; where this process is gone it continues without it.
import type { Ctx } from '../../kernel/ctx.ts';
import { driveAtOnce } from '../../runs/durable/drive-at-once.ts';
import { type PlanProgress, advancePlan } from './advance.ts';

interface UnderWay {
  now: Promise<PlanProgress>;
  /** For all who came since `now` began. */
  next?: Promise<PlanProgress>;
}

/** By plan, of this process: several ends at once do not wait for each other's locks. */
const underWay = new Map<string, UnderWay>();

/** It looks at the rows after it was called. */
export function advanceAtOnce(ctx: Ctx, dagRunId: string): Promise<PlanProgress> {
  const known = underWay.get(dagRunId);
  if (known) {
    known.next ??= known.now
      .then(
        () => undefined,
        () => undefined,
      )
      .then(() => begin(ctx, dagRunId));
    return known.next;
  }
  return begin(ctx, dagRunId);
}

function begin(ctx: Ctx, dagRunId: string): Promise<PlanProgress> {
  const mine: UnderWay = { now: advance(ctx, dagRunId) };
  underWay.set(dagRunId, mine);
  const over = (): void => {
    if (underWay.get(dagRunId) === mine && !mine.next) underWay.delete(dagRunId);
  };
  mine.now.then(over, over);
  return mine.now;
}

async function advance(ctx: Ctx, dagRunId: string): Promise<PlanProgress> {
  const begun: string[] = [];
  const advanced = await advancePlan(ctx, dagRunId, begun);
  for (const runId of begun) driveAtOnce(ctx, runId, () => advanceAtOnce(ctx, dagRunId));
  return advanced;
}
