// Every word that a step may say, and what is done.
import type { ProtocolStep } from '#contract/studio/protocol-steps.ts';
import { call, loseCaller, recurse } from './calls.ts';
import { delegate, mint, race, revoke, verify } from './grants.ts';
import { leaks } from './leaks.ts';
import type { Play, StepHandler, StepResult } from './play.ts';
import { endRunStep, replay, sameRun, startRunStep } from './runs.ts';
import { answerFindingStep, copy, deleteStep, finding, left, publish, trust } from './standing.ts';

const HANDLERS: { [D in ProtocolStep['do']]: StepHandler<D> } = {
  mint,
  delegate,
  verify,
  revoke,
  race,
  call,
  recurse,
  start_run: startRunStep,
  same_run: sameRun,
  end_run: endRunStep,
  replay,
  lose_caller: loseCaller,
  finding,
  answer_finding: answerFindingStep,
  publish,
  copy,
  trust,
  delete: deleteStep,
  left,
  leaks,
};

/**
 * These change what other scenarios on the same stage look at: such scenarios are played one after the other.
 */
const SHARING: ReadonlySet<ProtocolStep['do']> = new Set(['finding', 'answer_finding', 'publish']);
/** These look at everything that was written: such scenarios come last. */
const LOOKING_BACK: ReadonlySet<ProtocolStep['do']> = new Set(['leaks']);

export function perform(play: Play, step: ProtocolStep): Promise<StepResult> {
  // Safe: the handler of a word takes the steps that say it.
  const handler = HANDLERS[step.do] as StepHandler<typeof step.do> as (play: Play, step: ProtocolStep) => Promise<StepResult>;
  return handler(play, step);
}

/** together: beside others; last: after all; else one by one, after those beside others. */
export function laneOf(steps: readonly ProtocolStep[]): 'together' | 'alone' | 'last' {
  if (steps.some((step) => LOOKING_BACK.has(step.do))) return 'last';
  return steps.some((step) => SHARING.has(step.do)) ? 'alone' : 'together';
}
