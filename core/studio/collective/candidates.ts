// Who could do what each role asks for: the planner's choice by the words of the role, which count twice, and
// of the goal.
import type { Risk } from '#contract/states.ts';
import type { TeamRole } from '#contract/studio/team-protocols.ts';
import { wordsOf } from '../../deploys/composed/project/fit.ts';
import { chooseOffers, type Choice, type Word } from '../../deploys/planner/choose.ts';
import type { Known } from '../../deploys/planner/known.ts';
import { offersFor } from '../../deploys/planner/offers.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { type Task, taskArgs } from '../../runs/run/task-args.ts';

export interface TeamCandidate {
  agent: string;
  skill: string;
  deploy_id: string;
  own: boolean;
  /** 0 to 1: how much of the words it says. */
  fit: number;
  known: Known;
}

export interface Wanted {
  roles: readonly TeamRole[];
  goal: string;
  risk: Risk;
  /** What each member is given; absent: that is not known yet. */
  task?: Task;
}

/** Best first, by role. */
export async function candidatesFor(ctx: Ctx, accountId: string, { roles, goal, risk, task }: Wanted): Promise<Map<string, TeamCandidate[]>> {
  const ofGoal = wordsOf(goal).map((word) => ({ word, weight: 1 }));
  const needs = new Map(roles.map(({ role, words }) => [role, [...words.filter((word) => word !== '').map((word) => ({ word, weight: 2 })), ...ofGoal]]));
  const words = [...new Set([...needs.values()].flatMap((all: Word[]) => all.map(({ word }) => word)))];
  const offers = await offersFor(ctx, { accountId, words });
  const argsFor = task && { argsFor: ({ skill }: Choice['found']) => taskArgs(skill.input_schema, task) };
  return new Map(
    [...needs].map(([role, wanted]) => [role, chooseOffers(offers, { words: wanted, canAsk: false, unwatched: risk, ...argsFor }).map(candidateOf)]),
  );
}

function candidateOf({ found: { agent, skill, deploy_id, mine, known }, share }: Choice): TeamCandidate {
  return { agent, skill: skill.id, deploy_id, own: mine, fit: share, known };
}
