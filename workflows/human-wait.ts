// A pause for a person: one decision, or the deadline, or the skill that no longer waits. The row decides
// which was first, and the API writes a decision there: here is the clock, and the delivery to the skill
// until it has the outcome.
import { ActivityFailure, allHandlersFinished, condition, continueAsNew, log, setHandler } from '@temporalio/workflow';
import type { Resolution, WaitActivities } from '#activities/waits.ts';
import { resolve, voted, type WaitIn, withdraw } from './messages.ts';
import { isLong } from './pace.ts';
import { activities } from './queues.ts';

const rows = activities<WaitActivities>({ startToCloseTimeout: '10s', retry: { maximumInterval: '30s' } });
/**
 * The agent or its host may be down for long: delivery continues until they are back, from another worker
 * where this one died.
 */
const agent = activities<WaitActivities>({
  startToCloseTimeout: '90s',
  heartbeatTimeout: '10s',
  scheduleToCloseTimeout: '1 day',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '3m' },
});

/** The clock of the rows may be behind the engine's: by a moment, or, where a clock is wrong, by hours. */
const FIRST_MS = 50;
const LAST_MS = 30_000;

export async function humanWait(i: WaitIn): Promise<{ state: string; told: boolean }> {
  return i.votes ? byVotes(i) : byOne(i);
}

async function byVotes(i: WaitIn): Promise<{ state: string; told: boolean }> {
  const { wait_id, expires_at } = i;
  let woken = false;
  let withdrawn = false;
  setHandler(withdraw, () => void (withdrawn = true));
  setHandler(voted, () => void (woken = true));
  let until = expires_at;
  let least = FIRST_MS;
  for (;;) {
    await condition(() => woken || withdrawn, Math.max(least, until - Date.now()));
    woken = false;
    // Votes that were enough before count.
    if (withdrawn) await rows.settleWait(wait_id, { decision: 'cancelled' });
    const now = await rows.advanceApproval(wait_id);
    if (now.state === 'pending') {
      until = now.until;
      least = until > Date.now() ? FIRST_MS : Math.min(least * 2, LAST_MS);
      // Votes that came meanwhile are read at once by what continues.
      if (!withdrawn && isLong()) await continueAsNew<typeof humanWait>({ ...i, expires_at: woken ? Date.now() : until });
      continue;
    }
    return { state: now.state, told: now.tell && (await deliver(wait_id)) };
  }
}

async function byOne({ wait_id, expires_at }: WaitIn): Promise<{ state: string; told: boolean }> {
  let written = false;
  let withdrawn = false;
  let decided: Resolution | undefined;
  setHandler(voted, () => void (written = true));
  setHandler(withdraw, () => void (withdrawn = true));
  // Until no workflow is open that an older API may send it to.
  setHandler(resolve, (decision): { accepted: true } => {
    decided ??= decision;
    return { accepted: true };
  });
  await condition(() => written || decided !== undefined || withdrawn, Math.max(1, expires_at - Date.now()));
  if (written) return { state: 'decided', told: await deliver(wait_id) };
  const outcome = decided ?? ({ decision: withdrawn ? 'cancelled' : 'expired' } as const);
  // Whatever was written before it stays, and is what is delivered.
  const { tell } = await rows.settleWait(wait_id, outcome);
  const delivered = tell && (await deliver(wait_id));
  await condition(allHandlersFinished);
  return { state: outcome.decision, told: delivered };
}

async function deliver(waitId: string): Promise<boolean> {
  try {
    await agent.deliverWait(waitId);
    return true;
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    log.info('the outcome of a wait was not taken', { wait_id: waitId, cause: String(error.cause) });
    return false;
  }
}
