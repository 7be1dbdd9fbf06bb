// One repair of an agent that failed: ask for what is missing, restart, put the last good version back; a
// person where none of it helps.
import { ActivityFailure, CancellationScope, condition, isCancellation, log, setHandler, sleep, TimeoutFailure } from '@temporalio/workflow';
import type { RepairActivities } from '#activities/repairs.ts';
import { type RepairIn, secretSet } from './messages.ts';
import { PACES, pauseAfter } from './pace.ts';
import { activities } from './queues.ts';

const rows = activities<RepairActivities>({ startToCloseTimeout: '30s' });
/** It compares two sources. */
const deploys = activities<RepairActivities>({ startToCloseTimeout: '2m', heartbeatTimeout: '15s' });

/** The owner has a week to set a missing secret. */
export const SECRET_WITHIN_MS = 7 * 86_400_000;
/** So long it waits for a deployment that somebody else began. */
export const BUSY_FOR_MS = 86_400_000;
/** Seconds that a deployment of a repair may wait for its turn. */
const waitsAtMost = 3_600;

type Action = 'restart' | 'put_back';
interface End {
  state: 'healed' | 'needs_human';
  outcome: { code: string; message: string };
  deploy_id?: string;
  tests?: 'passed' | 'failed' | 'not_run';
}
const human = (code: string, message: string): End => ({ state: 'needs_human', outcome: { code, message } });

export async function selfHeal(i: RepairIn): Promise<{ state: End['state'] }> {
  let end: End;
  try {
    end = await repair(i);
  } catch (error) {
    if (!isCancellation(error)) log.warn('repair failed', { repair_id: i.repair_id, error: String(error) });
    end = isCancellation(error)
      ? human('cancelled', 'A user cancelled the repair: fix the agent and deploy it')
      : human('repair_failed', 'A step of the repair failed again and again: fix the agent and deploy it');
  }
  await CancellationScope.nonCancellable(() => rows.endRepair(i.repair_id, end));
  return { state: end.state };
}

async function repair(i: RepairIn): Promise<End> {
  const diagnosis = await rows.beginRepair(i.repair_id);
  if (!diagnosis) return human('overtaken', 'The repair had ended');
  if (i.over_limit) return human('repair_limit', 'It was repaired as often as svc.yaml allows in a day: read the history and fix the source');
  if (diagnosis.missing.length > 0 && !(await secretsCame(i.repair_id))) {
    return human('secret_missing', `${diagnosis.missing.join(', ')} was not set within a week: set it, then deploy again`);
  }
  const actions: Action[] = diagnosis.restarted ? ['put_back'] : ['restart', 'put_back'];
  for (const action of actions) {
    const end = await attempt(i, action);
    if (end) return end;
  }
  return { ...human('repair_failed', 'Neither a restart nor the last good version brought it back: read its logs and fix the source'), tests: 'failed' };
}

/** Undefined: it did not help. */
async function attempt({ repair_id, timeout_seconds }: RepairIn, action: Action): Promise<End | undefined> {
  const made = await deployed(repair_id, action);
  if (typeof made !== 'string') return made;
  const long = activities<RepairActivities>({
    // The deployment itself ends in time, from its turn on; until then others may be built.
    startToCloseTimeout: (timeout_seconds + waitsAtMost) * 1000,
    scheduleToCloseTimeout: (timeout_seconds + waitsAtMost) * 1000,
    heartbeatTimeout: '15s',
    retry: { initialInterval: '1s', maximumInterval: '10s' },
  });
  try {
    if (!(await long.awaitDeployment(made))) return undefined;
    if (!(await long.proveRepair({ repair_id, deploy_id: made, action }))) return undefined;
  } catch (error) {
    if (error instanceof ActivityFailure && error.cause instanceof TimeoutFailure) return undefined;
    throw error;
  }
  const message = action === 'restart' ? 'A restart brought it back' : 'The last good version is live again: fix the source of the one that failed';
  return { state: 'healed', outcome: { code: action, message }, deploy_id: made, tests: 'passed' };
}

async function deployed(repairId: string, action: Action): Promise<string | End | undefined> {
  const since = Date.now();
  for (;;) {
    const made = await deploys.repairDeploy(repairId, action);
    switch (made.refused) {
      case undefined:
        return made.deploy_id;
      case 'busy':
        if (Date.now() - since >= BUSY_FOR_MS)
          return human('deployment_under_way', 'Another deployment of it has not ended for a day: cancel that, then deploy again');
        await sleep(pauseAfter(Date.now() - since, PACES.busy));
        continue;
      case 'overtaken':
        return human('overtaken', 'Another version was deployed, or the agent was deleted, while it was repaired');
      case 'not_permitted':
        return human('not_permitted', 'An operator does not let this account deploy: ask one');
      case 'none_good':
        return action === 'restart' ? undefined : human('no_good_version', 'No earlier version of it has answered calls: fix the source and deploy it');
    }
  }
}

async function secretsCame(repairId: string): Promise<boolean> {
  let sets = 0;
  setHandler(secretSet, () => void (sets += 1));
  for (const since = Date.now(); Date.now() - since < SECRET_WITHIN_MS;) {
    const seen = sets;
    if (await rows.askForSecrets(repairId)) return true;
    await condition(() => sets > seen, pauseAfter(Date.now() - since, PACES.secret));
  }
  return false;
}
