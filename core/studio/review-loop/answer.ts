// The owner answers a finding. `fixed` is believed when the calls that showed it do not show it any more.
import type { FindingAnswerIn, FindingOut } from '#contract/quality/findings.ts';
import { agentFor, agentNamed } from '../../agents/agent/find.ts';
import { findingOf } from '../../quality/finding/list.ts';
import { type FindingView, presentFinding } from '../../quality/finding/model.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { storableText } from '../../kernel/storable.ts';
import { act, done } from '../../kernel/act.ts';
import type { AttackCase } from './attack/case.ts';
import { ordinaryArgs } from './attack/fields.ts';
import { type Suspicion } from './attack/rules.ts';
import { observe } from './observe.ts';
import { showsAgain, type Usual } from './run-case.ts';
import { newScope, plant, removeScope } from './scope.ts';
import { openTarget, type LoopTarget } from './target.ts';

/** What a finding of a review loop keeps: its calls, and what they show. */
type Reproduction = AttackCase & { shows: Suspicion['rule'] };

const FIRST_CALL_MS = 20_000;

/**
 * @throws NotFound agent_not_found, finding_not_found; Conflict finding_answered, finding_reproduces,
 * review_loop_running, agent_not_live
 */
export async function answerFinding(ctx: Ctx, i: { name: string; finding_id: string } & FindingAnswerIn): Promise<FindingOut> {
  const { user_id } = requireUser(ctx, 'finding.answer');
  const { agent_id, live_deploy_id } = await agentFor(ctx.db, ctx.actor, 'finding.answer', i.name);
  const row = await findingOf(ctx.db, agent_id, i);
  requireOpen(row);
  if (i.answer === 'fixed') await requireGone(ctx, user_id, row);
  return act(ctx, 'finding.answer', agentNamed(i.name), async (ctx, agent) => {
    await ctx.db('agents').where({ agent_id }).forUpdate().first('agent_id');
    // What was tried is not what is live now.
    if (i.answer === 'fixed' && agent.live_deploy_id !== live_deploy_id)
      throw new Conflict('finding_reproduces', 'Another version became live while it was tried: answer again');
    const answered = await ctx
      .db('agent_findings')
      .where({ finding_id: row.finding_id, state: 'open' })
      .update({ state: 'answered', answer: i.answer, reason: storableText(i.reason), answered_by: user_id, answered_at: new Date(ctx.clock()) });
    if (answered === 0) requireOpen(await findingOf(ctx.db, agent_id, i));
    const facts = { agent_id, answer: i.answer, rule: row.rule, severity: row.severity };
    return done({ finding: row.finding_id }, facts, presentFinding(await findingOf(ctx.db, agent_id, i)));
  });
}

function requireOpen({ finding_id, state, answer }: FindingView): void {
  if (state !== 'open')
    throw new Conflict('finding_answered', `${finding_id} was answered already (${answer}): a fixed finding opens again automatically when it shows again`);
}

/** @throws Conflict finding_reproduces, review_loop_running, agent_not_live */
async function requireGone(ctx: Ctx, userId: string, row: FindingView): Promise<void> {
  // Safe: probe.ts stores it; a reviewer's finding that nothing has shown has none.
  const tried = row.reproduction as Reproduction | null;
  if (tried === null && row.source === 'review_run')
    throw new Conflict(
      'finding_reproduces',
      `The review of the live version has it, or has not ended: deploy the fix, and the review of that version answers it`,
    );
  // Nothing has ever shown it: the owner's word is all there is.
  if (tried === null) return;
  const running = await ctx.db('review_loops').where({ agent_id: row.agent_id }).whereNull('ended_at').first('job_id');
  if (running) throw new Conflict('review_loop_running', `${running.job_id} challenges ${row.agent_name} at this moment: answer once it has ended`);
  const scope = newScope();
  const target = await openTarget(ctx, userId, row.agent_name, scope);
  try {
    await plant(target.ctx, row.agent_name, scope, target.workspace);
    const usual = await usualNow(target, tried);
    const seen = usual && (await showsAgain(target, tried, usual, tried.shows));
    if (seen)
      throw new Conflict('finding_reproduces', `The live version still shows it (${row.title}): deploy the fix first, or answer accepted with a reason`, {
        rule: tried.shows,
      });
  } finally {
    await removeScope(target.ctx, userId, row.agent_name, scope);
  }
}

/**
 * Undefined: the live version no longer has the skill. @throws Conflict agent_not_live when it answers
 * nothing at all
 */
async function usualNow(target: LoopTarget, tried: AttackCase): Promise<Usual | undefined> {
  const skill = target.skills.find(({ id }) => id === tried.skill);
  if (!skill) return undefined;
  const call = { args: ordinaryArgs(skill.input_schema, target.workspace), grant: target.workspace ? ('given' as const) : ('none' as const) };
  const limits = { skill: skill.id, lateMs: FIRST_CALL_MS, tampers: false };
  await observe(target, call, limits);
  const { how, ms, text } = await observe(target, call, limits);
  if (how === 'late' || how === 'unreachable')
    throw new Conflict('agent_not_live', `${target.route.agentName} does not answer: try again, or look at its status`);
  return { works: how === 'answered' || how === 'asked', ms, showsMemory: text.includes(target.scope.memory) };
}
