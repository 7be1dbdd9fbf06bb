// The task queue of each activity, and how often its work may fail. Workflows take their activities from here
// only.
import { type ActivityInterfaceFor, type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import type { Duration } from '@temporalio/common';
import type { createActivities } from '#activities/index.ts';

/**
 * control: row writes. long-work: minutes or hours. deliveries: to machines of others. runs: beside running
 * agents. builds, machine: on a host.
 */
type Queue = 'control' | 'long-work' | 'deliveries' | 'runs' | 'builds' | 'machine';

export interface Placed {
  readonly queue: Queue;
  /**
   * Failures that the work itself reports, until it is given up; absent: tried again for as long as its
   * workflow allows. A worker that stops is none.
   */
  readonly failures?: number;
}

const control: Placed = { queue: 'control' };
const longWork: Placed = { queue: 'long-work' };
const delivery: Placed = { queue: 'deliveries' };
const failing = (placed: Placed, failures: number): Placed => ({ ...placed, failures });

export type ActivityName = keyof ReturnType<typeof createActivities>;

export const PLACES = {
  takeTurn: control,
  buildImage: { queue: 'builds', failures: 6 },
  startInstance: { queue: 'machine', failures: 6 },
  noteNotTaken: control,
  switchRoute: control,
  endDeployment: control,
  stopDraining: { queue: 'machine', failures: 6 },
  stopDrainingEverywhere: longWork,
  stopAgent: longWork,

  prepareDatabaseProject: longWork,
  makeDatabase: longWork,
  makeDatabaseLogins: longWork,
  finishDatabaseBranch: control,
  failDatabaseBranch: control,
  databaseBranchesToDrop: control,
  dropDatabaseBranch: longWork,
  dropDatabaseProject: longWork,
  makeNextDatabaseLogin: longWork,
  switchDatabaseLogin: control,
  replaceDatabaseUsers: control,
  dropLastDatabaseLogin: longWork,
  giveUpDatabaseRotation: control,

  proveDomain: delivery,
  certificateStep: delivery,

  settleWait: control,
  advanceApproval: control,
  deliverWait: delivery,

  driveRun: { queue: 'runs' },
  cancelRun: { queue: 'runs' },
  runWaits: control,

  advancePlan: control,
  thinkOfPlan: longWork,
  cancelPlan: control,

  advanceProof: control,
  cancelProof: control,

  beginFiring: control,
  checkFiring: control,
  cancelFiring: control,

  provisionMailbox: control,
  failMailbox: control,
  deliverMail: longWork,
  sendAnswer: delivery,

  archiveEvents: failing(longWork, 20),
  removeArchives: failing(longWork, 20),

  beginPurge: control,
  stopAccount: failing(longWork, 30),
  removeStored: failing(longWork, 30),
  removeRows: failing(longWork, 30),
  closeAccount: failing(longWork, 30),
  endPurge: control,

  beginReview: control,
  review: failing(longWork, 3),
  endReview: control,

  advanceReviewLoop: failing(longWork, 20),
  endReviewLoop: control,

  beginRepair: control,
  askForSecrets: control,
  repairDeploy: longWork,
  awaitDeployment: longWork,
  proveRepair: longWork,
  endRepair: control,

  beginSimulation: control,
  openStage: { queue: 'machine', failures: 3 },
  nextScenarios: control,
  runScenario: { queue: 'runs', failures: 3 },
  failScenario: control,
  stopStage: { queue: 'machine', failures: 3 },
  closeStage: failing(longWork, 10),
  endSimulation: control,

  advanceKernelRun: failing(longWork, 5),
  endKernelRun: control,

  advanceStudio: failing(longWork, 10),
  endStudio: control,

  advanceTrial: failing(longWork, 20),
  endTrial: control,

  takePayouts: longWork,
  payPayouts: longWork,
  endPayouts: longWork,

  buildExport: failing(longWork, 20),
  endExport: control,
  removeContents: failing(longWork, 30),
  endRetention: control,

  runCalendarRound: longWork,
} satisfies Record<ActivityName, Placed>;

const places: Readonly<Record<string, Placed | undefined>> = PLACES;

/** Undefined: no activity of the platform has this name. */
export function placeOf(name: string): Placed | undefined {
  return Object.hasOwn(places, name) ? places[name] : undefined;
}

/** Attempts are counted by failures that the work reports: `failures` of the table, not `maximumAttempts`. */
export type WorkOptions = Omit<ActivityOptions, 'taskQueue' | 'retry'> & { retry?: Omit<NonNullable<ActivityOptions['retry']>, 'maximumAttempts'> };

/** Activities on the queues that the table names. A workflow's own queue is `control`. */
export function activities<A extends object>(options: WorkOptions): ActivityInterfaceFor<A> {
  return proxied(options, (name) => {
    const queue = placeOf(name)?.queue ?? 'control';
    if (queue === 'machine') throw new TypeError(`${name} runs on one host: take it from hostActivities`);
    if (queue === 'builds' && options.scheduleToStartTimeout === undefined) throw new TypeError(`${name} needs a scheduleToStartTimeout`);
    return queue === 'control' ? {} : { taskQueue: queue };
  });
}

/**
 * Activities on one host. Its worker may be gone, so they state how long they wait for it; the workflow says
 * what happens then.
 */
export function hostActivities<A extends object>(node: string, options: WorkOptions & { scheduleToStartTimeout: Duration }): ActivityInterfaceFor<A> {
  return proxied({ summary: `on ${node}`, ...options }, () => ({ taskQueue: `runtime:${node}` }));
}

function proxied<A extends object>(options: ActivityOptions, on: (name: string) => { taskQueue?: string }): ActivityInterfaceFor<A> {
  // Safe: each property that is read is the library's own function for that activity.
  return new Proxy({}, { get: (_, name: string) => Reflect.get(proxyActivities<A>({ ...options, ...on(name) }), name) }) as ActivityInterfaceFor<A>;
}
