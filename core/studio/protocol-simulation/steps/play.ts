// One scenario while it is played: whose stage it is on, what its steps have made so far, and what a step
// answers.
import type { ProtocolStep, StepOf, StepOutcome } from '#contract/studio/protocol-steps.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { DomainError } from '../../../kernel/errors.ts';
import type { GrantsRow, RunsRow } from '#db/tables.ts';
import { stageActor, type Stage, type StagedAgent, stageRun } from '../stage/model.ts';
import type { Random } from '#contract/wire/random.ts';

export interface MadeGrant {
  token: string;
  row: GrantsRow;
}

export interface Play {
  /** The platform's. */
  ctx: Ctx;
  stage: Stage;
  random: Random;
  signal: AbortSignal;
  grants: Map<string, MadeGrant>;
  runs: Map<string, Pick<RunsRow, 'run_id'> & { job_id: string }>;
  /** Of this playing of it: position and attempt, so that what a crash left behind is not met. */
  label: string;
  /** By key, what was asked for. */
  requests: Map<string, { skill: string; args: Record<string, unknown> }>;
  copies: number;
  /** Made by the step copy. */
  copy?: StagedAgent;
  /** Tokens that were made, for the search for leaks. */
  tokens: string[];
}

type Facts = Record<string, string | number | boolean>;

export interface StepResult {
  outcome: StepOutcome;
  code?: string;
  facts?: Facts;
  /** What may differ from run to run. */
  observed?: string;
}

export type StepHandler<D extends ProtocolStep['do']> = (play: Play, step: StepOf<D>) => Promise<StepResult>;

/** This scenario does not apply to the agent. The reason is for people. */
export class NotApplicable extends Error {}

/** The account of the stage, as a person who is signed in. */
export function asUser({ ctx, stage }: Play, afterSeconds = 0): Ctx {
  return later({ ...ctx, actor: stageActor(stage.userId) }, afterSeconds);
}

/** A run of a staged agent. */
export function asRun({ ctx, stage }: Play, agent: StagedAgent, chain = [`${agent.name}/rehearse`]): Ctx {
  return { ...ctx, actor: stageRun(ctx, stage.userId, agent, chain) };
}

/** The platform's clock, set forward: what ends later ends now. */
export function later(ctx: Ctx, seconds: number): Ctx {
  return seconds === 0 ? ctx : { ...ctx, clock: () => ctx.clock() + seconds * 1000 };
}

export function stagedAgent({ stage, copy }: Play, which: 'agent' | 'copy'): StagedAgent {
  if (which === 'agent') return stage.agent;
  if (!copy) throw new NotMade('the copy of the agent');
  return copy;
}

/** A step is about something that no step before it made. */
export class NotMade extends Error {}

export function madeGrant({ grants }: Play, name: string): MadeGrant {
  const grant = grants.get(name);
  if (!grant) throw new NotMade(`the grant ${name}`);
  return grant;
}

/** What the platform refuses is an outcome; anything else is trouble of ours. */
export async function stepResult(work: () => Promise<Omit<StepResult, 'outcome'>>): Promise<StepResult> {
  try {
    return { outcome: 'accepted', ...(await work()) };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { outcome: 'refused', code: error.code, ...faultFact(error.cause) };
  }
}

function faultFact(cause: unknown): { facts?: Facts } {
  return typeof cause === 'string' ? { facts: { fault: cause } } : {};
}
