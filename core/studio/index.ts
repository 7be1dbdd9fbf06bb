// What processes run of this area.
import type { Abandon } from '../jobs/reconcile.ts';
import { type CalendarRound, HOUR_SECONDS } from '../kernel/calendar.ts';
import type { AreaLoop } from '../kernel/loop.ts';
import { autopilotDays } from './autopilot/days.ts';
import { brainNights } from './brain/nightly.ts';
import { countScorecards } from './collective/count-scorecards.ts';
import { abandonKernelRun } from './kernel/steps.ts';
import { abandonSimulation } from './protocol-simulation/advance.ts';
import { sweepStages } from './protocol-simulation/stage/close.ts';
import { abandonLoop } from './review-loop/end.ts';
import { abandonTrial } from './trial-room/end.ts';
import { followDeploys } from './trial-room/follow-deploys.ts';
import { abandonStudioRun } from './studio-run/end.ts';
import { sweepGuestRuns } from './studio-run/guest.ts';
import { KIND as STUDIO } from './studio-run/row.ts';
import { KIND as TRIAL } from './trial-room/row.ts';
import { KIND } from './review-loop/model.ts';

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

/** By kind of job: ends one whose workflow is gone. */
export const studioAbandons: Record<string, Abandon> = {
  [KIND]: abandonLoop,
  kernel_evolution: abandonKernelRun,
  kernel_simulation: abandonKernelRun,
  protocol_simulation: abandonSimulation,
  [STUDIO]: abandonStudioRun,
  [TRIAL]: abandonTrial,
};
