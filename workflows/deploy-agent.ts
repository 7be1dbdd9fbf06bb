// One deployment: wait for its turn, build, start, verify, switch, drain. The rows say how far it is; this
// only drives it.
import {
  ActivityFailure,
  type ActivityInterfaceFor,
  ApplicationFailure,
  CancellationScope,
  condition,
  ContinueAsNew,
  continueAsNew,
  isCancellation,
  log,
  patched,
  setHandler,
  setWorkflowOptions,
  sleep,
} from '@temporalio/workflow';
import type { DeployActivities } from '#activities/deploy.ts';
import { type DeployIn, turn } from './messages.ts';
import { isNotTaken } from './not-taken.ts';
import { isLong, PACES, pauseAfter } from './pace.ts';
import { activities, hostActivities, type WorkOptions } from './queues.ts';
import { pinned } from './versioning.ts';

const rows = activities<DeployActivities>({ startToCloseTimeout: '30s' });
/**
 * Long work beside a machine: tried again when its worker or host is lost; errors of the source fail at once.
 */
const machineWork = {
  heartbeatTimeout: '15s',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { nonRetryableErrorTypes: ['UserError'] },
} satisfies WorkOptions;

/**
 * A host whose worker is gone or busy: after this the start is placed anew. As long as a host that is busy
 * with other starts is waited for.
 */
const usualPlacing = { within_ms: 60_000, most: 60 };
type Placing = typeof usualPlacing;
/**
 * An image that was missing where it was said to be is built again; a host that loses it again has another
 * fault.
 */
const mostMissing = 2;

/** Any host builds; without a worker of one the build would wait for ever. */
function onBuilder({ within_ms }: Placing): ActivityInterfaceFor<DeployActivities> {
  return activities<DeployActivities>({ ...machineWork, scheduleToStartTimeout: within_ms, startToCloseTimeout: '1h' });
}

/** Longer than an agent may take to start (SVC_START_SECONDS of the host). */
function onNode(node: string, { within_ms }: Placing): ActivityInterfaceFor<DeployActivities> {
  return hostActivities<DeployActivities>(node, { ...machineWork, scheduleToStartTimeout: within_ms, startToCloseTimeout: '1h' });
}

/** Older deployments wait without a word. */
const SAYS_NOT_TAKEN = 'says-not-taken';

/** How long work that ran out of time has to stop, before the deployment ends without it. */
const stopTime = '30s';
/** How long requests under way may take to end on the old instance. */
const drainTime = '15s';
// It is over in minutes: it ends on the code it began with (deploy/runbooks/workers.md).
setWorkflowOptions(pinned, deployAgent);
export async function deployAgent(i: DeployIn): Promise<{ state: 'live' | 'failed' | 'cancelled' }> {
  const { deploy_id, timeout_seconds, placing = usualPlacing } = i;
  const waitsSince = i.waits_since ?? Date.now();
  let turns = 0;
  setHandler(turn, () => void (turns += 1));
  try {
    for (;;) {
      const seen = turns;
      const outcome = await rows.takeTurn(deploy_id);
      if (outcome === 'ended') return { state: 'cancelled' };
      if (outcome === 'moved') break;
      await condition(() => turns > seen, pauseAfter(Date.now() - waitsSince, PACES.turn));
      // The next life looks at the rows first: a signal that is left behind is not missed.
      if (isLong()) await continueAsNew<typeof deployAgent>({ ...i, waits_since: waitsSince });
    }
    const { node, instance_id } = await within(timeout_seconds, () => place(deploy_id, placing));
    const went = await rows.switchRoute(deploy_id, instance_id);
    if (went === 'ended') return await end(deploy_id, 'cancelled', { code: 'cancelled', message: 'The agent was deleted or the deployment ended meanwhile' });
    await sleep(drainTime);
    await stopReplaced(node, deploy_id, placing);
    return { state: 'live' };
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    if (isCancellation(error)) {
      return end(deploy_id, 'cancelled', { code: 'cancelled', message: 'Cancelled before it went live; the previous version keeps serving' });
    }
    log.warn('deployment failed', { deploy_id, error: String(error) });
    return end(deploy_id, 'failed', faultOf(error));
  }
}

/**
 * Started on a host that has its image; one that did not take the start is left out, and an image that is
 * nowhere is built.
 */
async function place(deployId: string, placing: Placing): Promise<{ node: string; instance_id: string }> {
  const without: string[] = [];
  for (let [placings, missing] = [1, 0]; ; placings += 1) {
    let node: string | undefined;
    try {
      const builder = onBuilder(placing);
      ({ node } = without.length === 0 ? await builder.buildImage(deployId) : await builder.buildImage(deployId, without));
      return { node, ...(await onNode(node, placing).startInstance(deployId)) };
    } catch (error) {
      if (isMissing(error) && missing < mostMissing) missing += 1;
      else if (!isNotTaken(error)) throw error;
      else if (placings >= placing.most) throw notTaken(node);
      else {
        if (node !== undefined && !without.includes(node)) without.push(node);
        if (patched(SAYS_NOT_TAKEN)) await rows.noteNotTaken(deployId, { node: node ?? null, placings, of: placing.most });
      }
      log.warn('a start is placed anew', { deploy_id: deployId, node, error: String(error) });
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof ActivityFailure && error.cause instanceof ApplicationFailure && error.cause.type === 'ImageMissing';
}

function notTaken(node: string | undefined): ApplicationFailure {
  const who =
    node === undefined ? 'No host took the build: their workers are down, or have' : `Host ${node} did not take the start: its worker is down, or has`;
  const message = `${who} too many before this one. The operator looks at npm run status there; then deploy again`;
  return ApplicationFailure.create({ message, nonRetryable: true, details: ['host_unreachable'] });
}

/** It is live: what a host that is gone leaves is found by its sweep when it is back. */
async function stopReplaced(node: string, deployId: string, placing: Placing): Promise<void> {
  try {
    await onNode(node, placing).stopDraining(deployId);
  } catch (error) {
    if (!isNotTaken(error)) throw error;
    log.warn('the version before was not stopped yet', { deploy_id: deployId, node });
  }
}

/**
 * Without a limit as the work itself. @throws ApplicationFailure deployment_timeout, once the work was
 * cancelled and has stopped, or does not stop
 */
async function within<T>(seconds: number | undefined, work: () => Promise<T>): Promise<T> {
  if (seconds === undefined) return work();
  const [working, waiting] = [new CancellationScope(), new CancellationScope()];
  let late = false;
  const tooLate = waiting.run(async () => {
    await sleep(seconds * 1000);
    late = true;
    working.cancel();
    await sleep(stopTime);
    throw timedOut(seconds);
  });
  // A cancelled deployment waits for its work to stop, as one without a limit.
  const never = tooLate.catch((error: unknown) => (isCancellation(error) ? new Promise<never>(() => undefined) : Promise.reject(error)));
  try {
    return await Promise.race([working.run(work), never]);
  } catch (error) {
    throw late && !CancellationScope.current().consideredCancelled ? timedOut(seconds) : error;
  } finally {
    waiting.cancel();
  }
}

function timedOut(seconds: number): ApplicationFailure {
  const message = `Build and start took longer than ${seconds} seconds, which self_healing.deployment_timeout_seconds in svc.yaml allows: read the log for where it hangs, or allow more`;
  return ApplicationFailure.create({ message, nonRetryable: true, details: ['deployment_timeout'] });
}

/** Also runs when the workflow is being cancelled. */
async function end(deployId: string, state: 'failed' | 'cancelled', fault: { code: string; message: string }): Promise<{ state: 'failed' | 'cancelled' }> {
  await CancellationScope.nonCancellable(async () => {
    await rows.endDeployment(deployId, state, fault);
    await rows.stopDrainingEverywhere(deployId);
  });
  return { state };
}

function faultOf(error: unknown): { code: string; message: string } {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure) {
    const [code] = cause.details ?? [];
    return { code: typeof code === 'string' ? code : 'internal', message: cause.message };
  }
  return { code: 'internal', message: 'The platform could not finish this deployment: deploy again, and tell the operator if it happens again' };
}
