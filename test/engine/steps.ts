// Activities that end what a workflow of each type began: what is looked at is whether the engine carries it
// to its end, and the rows that say so are real elsewhere.
import type { QueueOptions } from '#worker/queues.ts';

const LAST: Readonly<Record<string, unknown>> = {
  takeTurn: 'ended',
  advancePlan: 'ended',
  cancelPlan: true,
  advanceKernelRun: 'ended',
  advanceStudio: 'ended',
  advanceTrial: 'ended',
  advanceReviewLoop: 'ended',
  driveRun: 'ended',
  proveDomain: 'ended',
  prepareDatabaseProject: 'over',
  deliverMail: 'done',
  sendAnswer: 'done',
  provisionMailbox: 'ready',
  databaseBranchesToDrop: [],
  closeStage: 0,
  beginReview: false,
  makeNextDatabaseLogin: false,
  advanceProof: null,
  beginPurge: null,
  certificateStep: null,
};
const QUIET = [
  ['buildExport', 'endExport', 'removeContents', 'endRetention', 'endDeployment', 'stopDrainingEverywhere', 'endReview', 'beginRepair', 'endRepair'],
  ['cancelRun', 'cancelProof', 'endReviewLoop', 'endKernelRun', 'beginSimulation', 'endSimulation', 'endStudio', 'endTrial', 'endPurge'],
  ['dropDatabaseProject', 'stopAgent'],
].flat();

/** `own`: those that are real. */
export function lastSteps(own: object): QueueOptions['activities'] {
  const quiet = Object.fromEntries(QUIET.map((name) => [name, async () => undefined]));
  const last = Object.fromEntries(Object.entries(LAST).map(([name, value]) => [name, async () => value]));
  return asActivities({ ...quiet, ...last, ...own });
}

// Safe: the engine looks activities up by name, and these answer what the workflows under test ask.
function asActivities(named: object): QueueOptions['activities'] {
  return named as QueueOptions['activities'];
}
