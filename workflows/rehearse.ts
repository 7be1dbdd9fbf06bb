// One rehearsal: open its stage, play its scenarios, remove the stage, end. However it ends, the stage goes.
import {
  ActivityFailure,
  type ActivityInterfaceFor,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  log,
  setWorkflowOptions,
  sleep,
} from '@temporalio/workflow';
import type { RehearsalActivities } from '#activities/rehearsals.ts';
import type { RehearseIn } from './messages.ts';
import { isNotTaken } from './not-taken.ts';
import { activities, hostActivities, type WorkOptions } from './queues.ts';
import { pinned } from './versioning.ts';

/** Without an end the job would be open for ever: tried until it is written. */
const rows = activities<RehearsalActivities>({ startToCloseTimeout: '30s' });
const work = { heartbeatTimeout: '15s', retry: { nonRetryableErrorTypes: ['UserError'] } } satisfies WorkOptions;
/**
 * Beside runs: it waits for the agent most of the time. The stage is removed only after its scenarios: else
 * they would blame the agent for the missing stage.
 */
const player = activities<RehearsalActivities>({
  ...work,
  startToCloseTimeout: '10m',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
});
/** Patient: what it gives up stays for minutes, until the sweep of stages. */
const remover = activities<RehearsalActivities>({
  ...work,
  startToCloseTimeout: '5m',
  retry: { ...work.retry, maximumInterval: '10s' },
});

function onNode(node: string): ActivityInterfaceFor<RehearsalActivities> {
  return hostActivities<RehearsalActivities>(node, {
    ...work,
    // A host whose worker is gone: the rehearsal says so instead of waiting.
    scheduleToStartTimeout: '2m',
    startToCloseTimeout: '5m',
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  });
}

interface Fault {
  code: string;
  message: string;
}
/** Scenarios that share nothing, at a time. */
const AT_ONCE = 4;
/** What was cancelled may take so many looks to end, a second apart. */
const LOOKS = 60;
const DEADLINE = 'deadline_exceeded';

setWorkflowOptions(pinned, rehearse);
export async function rehearse({ job_id }: RehearseIn): Promise<void> {
  const begun = await CancellationScope.nonCancellable(() => rows.beginSimulation(job_id));
  let fault: Fault | undefined;
  if (begun) fault = await within(begun.left_ms, () => play(job_id, begun.node)).catch(faultOf);
  await CancellationScope.nonCancellable(async () => {
    await removeStage(job_id, begun?.node);
    await rows.endSimulation(job_id, fault);
  });
}

/** Undefined: every scenario has its result. */
async function play(jobId: string, node: string): Promise<Fault | undefined> {
  await onNode(node).openStage(jobId);
  for (;;) {
    const next = await rows.nextScenarios(jobId);
    if (next === 'over_budget')
      return { code: 'budget_exceeded', message: 'Models have cost more than the rehearsal may spend: raise run_budget_cents, or rehearse less' };
    if (next.together.length + next.alone.length === 0) return undefined;
    const left = [...next.together];
    const lane = async (): Promise<void> => {
      for (let position = left.shift(); position !== undefined; position = left.shift()) await playOne(jobId, position);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    for (const position of next.alone) await playOne(jobId, position);
  }
}

/** A scenario that fails again and again has no verdict; the others continue. */
async function playOne(job_id: string, position: number): Promise<void> {
  try {
    await player.runScenario({ job_id, position });
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn('scenario failed', { job_id, position, error: String(error) });
    await rows.failScenario({ job_id, position, reason: 'It could not be played: its machine or the platform failed again and again' });
  }
}

/** @throws ApplicationFailure deadline_exceeded, once the work was cancelled */
async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const [working, waiting] = [new CancellationScope(), new CancellationScope()];
  let late = false;
  const timer = waiting.run(async () => {
    await sleep(ms);
    late = true;
    working.cancel();
  });
  timer.catch(() => undefined);
  try {
    return await working.run(work);
  } catch (error) {
    if (late) throw ApplicationFailure.nonRetryable('late', DEADLINE);
    throw error;
  } finally {
    waiting.cancel();
  }
}

/** What cannot be removed now is found again by the sweep of stages. */
async function removeStage(jobId: string, node: string | undefined): Promise<void> {
  try {
    for (let looks = 0; looks < LOOKS; looks += 1) {
      if ((await remover.closeStage(jobId)) === 0) return;
      if (node !== undefined) await onNode(node).stopStage(jobId);
      await sleep('1s');
    }
  } catch (error) {
    log.warn('a stage was not removed', { job_id: jobId, error: String(error) });
  }
}

function faultOf(error: unknown): Fault {
  if (isCancellation(error)) return { code: 'cancelled', message: 'It was stopped before its scenarios were all played' };
  if (error instanceof ApplicationFailure && error.type === DEADLINE)
    return { code: DEADLINE, message: 'Its scenarios did not end in time: raise ttl_seconds, or rehearse fewer of them' };
  log.warn('rehearsal failed', { error: String(error) });
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  // Of what its owner can mend the activity says what it is.
  if (cause instanceof ApplicationFailure && cause.type === 'UserError') return { code: String(cause.details?.[0] ?? 'stage_failed'), message: cause.message };
  if (isNotTaken(error))
    return {
      code: 'host_unreachable',
      message: 'The host of its agent did not take the work: its operator looks at npm run status there; then rehearse it again',
    };
  return { code: 'stage_failed', message: 'Its disposable machine could not be started: rehearse it again; the log of the worker says why' };
}
