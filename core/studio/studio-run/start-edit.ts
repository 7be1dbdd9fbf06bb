// A run of the studio that edits an agent of the account, for what proposed it.
import { StudioBrief, type StudioCandidate } from '#contract/studio/studio-brief.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';
import { keepPlan, briefModel } from './resolve.ts';
import { addStudioRun } from './start.ts';

interface Edit {
  agent: string;
  goal: string;
  carry_out: Pick<StudioBrief, 'budget_cents' | 'review'> & { model: NonNullable<StudioBrief['model']> };
}

/** In the caller's transaction. Resolves with the run's id. @throws what a run is refused for */
export async function startEdit(ctx: TxCtx, { agent, goal, carry_out }: Edit): Promise<string> {
  const { user_id } = requireUser(ctx, 'studio.run');
  const brief = StudioBrief.parse({ name: agent, goal, ...carry_out });
  const candidate: StudioCandidate = {
    decision: 'edit_existing',
    agents: [agent],
    skills: [],
    own: true,
    fit: 1,
    inputs_fit: 1,
    trust: 0,
    price_micros: 0,
    reason: `${agent} was proposed to be edited`,
  };
  const plan = await keepPlan(ctx, brief, { candidates: [candidate], recipes: [], model: await briefModel({ db: ctx.db }, user_id, brief) });
  return addStudioRun(ctx, { brief, plan });
}
