// What processes run of this area.
import { ownerOfJob } from '../jobs/long-work.ts';
import { type CalendarRound, HOUR_SECONDS } from '../kernel/calendar.ts';
import type { AreaLoop } from '../kernel/loop.ts';
import type { WorkflowOwners } from '../kernel/lost-workflow.ts';
import { autopilotDays } from './autopilot/days.ts';
import { brainNights } from './brain/nightly.ts';
import { countScorecards } from './collective/count-scorecards.ts';
import { endKernelRun } from './kernel/steps.ts';
import { endSimulation } from './protocol-simulation/advance.ts';
import { sweepStages } from './protocol-simulation/stage/close.ts';
import { endLoop } from './review-loop/end.ts';
import { endTrial } from './trial-room/end.ts';
import { followDeploys } from './trial-room/follow-deploys.ts';
import { endStudioRun } from './studio-run/end.ts';
import { sweepGuestRuns } from './studio-run/guest.ts';

export const studioLoops: readonly AreaLoop[] = [
  { name: 'stages of rehearsals', everyMs: 60_000, run: (ctx) => sweepStages(ctx) },
  { name: 'scorecards', everyMs: 600_000, run: async (ctx) => void (await countScorecards(ctx)) },
  { name: 'guest runs', everyMs: 600_000, run: async (ctx) => void (await sweepGuestRuns(ctx)) },
  { name: 'trials of new versions', everyMs: 15_000, run: (ctx) => followDeploys(ctx) },
];

const quarters = [0, 15, 30, 45];

/** Each account says its hour and time zone: what is due is asked four times an hour. */
export const studioCalendar: readonly CalendarRound[] = [
  {
    name: 'brain-nights',
    title: 'the nights of brains that are due',
    calendars: [{ minutes: quarters }],
    catchupWindowSeconds: HOUR_SECONDS,
    run: (ctx) => brainNights(ctx),
  },
  {
    name: 'autopilot-days',
    title: 'the daily looks of autopilots that are due',
    calendars: [{ minutes: quarters }],
    catchupWindowSeconds: HOUR_SECONDS,
    run: (ctx) => autopilotDays(ctx),
  },
];

/** By type of workflow: what becomes of its work when it is lost. */
export const studioOwners = {
  reviewLoop: ownerOfJob(endLoop),
  kernelRun: ownerOfJob(endKernelRun),
  // One that only removes a stage has no job: the sweep of stages starts the next.
  rehearse: ownerOfJob(endSimulation),
  studioRun: ownerOfJob((ctx, jobId, fault) => endStudioRun(ctx, jobId, fault)),
  trialRun: ownerOfJob(endTrial),
} satisfies WorkflowOwners;
