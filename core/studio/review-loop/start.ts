// A review loop begins: its row, its job and the start of its workflow. Nothing is called yet.
import { randomInt } from 'node:crypto';
import { AgentCard, type SkillCard } from '#contract/wire/card.ts';
import { MAX_INT32 } from '#contract/shared.ts';
import { ON_EMAIL } from '#contract/wire/mail.ts';
import type { ReviewLoopIn, ReviewLoopOut } from '#contract/studio/adversarial-review-loops.ts';
import { agentFor, agentNamed } from '../../agents/agent/find.ts';
import { beginWork } from '../../jobs/long-work.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { storableJson } from '../../kernel/storable.ts';
import { act, done } from '../../kernel/act.ts';
import { loopRows } from './find.ts';
import { REVIEW_LOOP_KIND, type LoopSpec, workflowOfLoop } from './model.ts';
import { presentLoops } from './present.ts';

/** @throws NotFound agent_not_found; Conflict agent_not_live, review_loop_running, nothing_to_challenge */
export async function startLoop(ctx: Ctx, i: { name: string } & ReviewLoopIn): Promise<ReviewLoopOut> {
  const jobId = await act(ctx, 'review_loop.start', agentNamed(i.name), async (ctx, agent) => {
    await ctx.db('agents').where({ agent_id: agent.agent_id }).forUpdate().first('agent_id');
    const live =
      agent.live_deploy_id === null ? undefined : await ctx.db('deployments').where({ deploy_id: agent.live_deploy_id }).first('deploy_id', 'version', 'card');
    if (!live?.card) throw new Conflict('agent_not_live', `${i.name} has no live deployment: deploy it first`);
    const running = await ctx.db('review_loops').where({ agent_id: agent.agent_id }).whereNull('ended_at').first('job_id');
    if (running) throw new Conflict('review_loop_running', `${running.job_id} challenges ${i.name} already: wait for its end, or stop it`);
    // The call itself checks whether it is allowed; this lookup reports a wrong name at once.
    const reviewer = i.reviewer === undefined ? undefined : await agentFor(ctx.db, ctx.actor, 'agent.read', i.reviewer);
    const spec: LoopSpec = { ...i, ...skillsOf(i, AgentCard.parse(live.card).skills), reviewer: reviewer?.name ?? null, seed: i.seed ?? randomInt(MAX_INT32) };
    const now = ctx.clock();
    const job_id = await beginWork(ctx, {
      kind: REVIEW_LOOP_KIND,
      title: `Challenge ${i.name} ${live.version ?? ''}`.trimEnd(),
      ownerId: agent.owner_id,
      agent: { id: agent.agent_id, name: i.name },
      workflowId: workflowOfLoop,
      workflow: { type: 'reviewLoop', input: (job_id) => ({ job_id, deadline_ms: spec.deadline_seconds * 1000 }) },
      input: { agent: i.name, deploy_id: live.deploy_id, skills: spec.skills, dry: spec.dry, iterations: spec.iterations, budget_cents: spec.budget_cents, deadline_seconds: spec.deadline_seconds, seed: spec.seed, reviewer: spec.reviewer }, // prettier-ignore
    });
    await ctx.db('review_loops').insert({
      job_id,
      agent_id: agent.agent_id,
      deploy_id: live.deploy_id,
      owner_id: agent.owner_id,
      spec: storableJson(spec),
      deadline_at: new Date(now + spec.deadline_seconds * 1000),
      reviewer_agent_id: reviewer?.agent_id ?? null,
      created_at: new Date(now),
    });
    return done({ job: job_id }, { agent: i.name, deploy_id: live.deploy_id, skills: spec.skills, seed: spec.seed }, job_id);
  });
  const [shown] = await presentLoops(ctx.db, await loopRows(ctx.db).where({ 'l.job_id': jobId }));
  if (!shown) throw new Error('a loop was not written');
  return shown;
}

/** What is named; else all that is not declared destructive. @throws Conflict nothing_to_challenge */
function skillsOf(i: Pick<ReviewLoopIn, 'skills' | 'dry'>, card: readonly SkillCard[]): { skills: string[]; dry: string[] } {
  const callable = card.filter(({ id }) => id !== ON_EMAIL);
  const unknown = [...i.skills, ...i.dry].filter((skill) => !callable.some(({ id }) => id === skill));
  if (unknown.length > 0)
    throw new Conflict('nothing_to_challenge', `The live version has no skill ${unknown.join(', ')} that takes calls`, {
      skills: callable.map(({ id }) => id).slice(0, 50),
    });
  const named = i.skills.length > 0 ? i.skills : callable.filter(({ policy }) => policy.destructive !== true).map(({ id }) => id);
  const skills = [...new Set(named)].filter((skill) => !i.dry.includes(skill)).slice(0, 20);
  if (skills.length === 0 && i.dry.length === 0)
    throw new Conflict('nothing_to_challenge', 'No skill is left to call: name those that may be called (skills), or that calls are generated for (dry)');
  return { skills, dry: [...new Set(i.dry)] };
}
