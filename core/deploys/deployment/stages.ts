// A deployment's life after it was queued. Every step is a guarded move with its event; a step that comes
// twice changes nothing.
import type { Fault } from '../../kernel/errors.ts';
import type { Knex } from 'knex';
import type { DeploymentsRow } from '#db/tables.ts';
import type { AgentCard } from '#contract/wire/card.ts';
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import { openStates } from '../../jobs/model.ts';
import { markRunning } from '../../jobs/long-work.ts';
import { transitionJob } from '../../jobs/transition.ts';
import { signalWorkflow } from '../../outbox/messages.ts';
import { searchText } from '../../agents/search/search-text.ts';
import { indexVocabulary } from '../../agents/search/vocabulary.ts';
import { queueReview } from '../../quality/review/queue.ts';
import { freezingFinding } from '../../agents/agent/frozen.ts';
import { dropUndeclared } from '../../agents/database/declare.ts';
import { declareMailbox } from '../../agents/mailbox/declare.ts';
import { routeChanged } from '../../agents/route/changed.ts';
import { endTemplateUpdate } from './template-update.ts';
import { nodeWith } from './image-nodes.ts';
import { hasBuilder, oldestOpen, wakeLine } from './line.ts';
import { type DeploymentState, OPEN_DEPLOYMENT_STATES } from '#contract/states.ts';

/** The deployment was ended before this step. */
export type StepOutcome = 'moved' | 'ended';

/** Builds at the same time, on all hosts together, unless the operator sets SVC_BUILDS_AT_ONCE. */
const usualBuilds = 1;

/**
 * Deployments of one agent take effect in their order, and a few builds run at a time: resolves 'wait' while
 * an older one is undecided, or while no builder is free. `node`: the asking host.
 */
export async function dequeueDeployment(ctx: Ctx, deployId: string, buildsAtOnce = usualBuilds, node?: string): Promise<StepOutcome | 'wait'> {
  if (node !== undefined) await queueBuildIfLost(ctx, deployId, node);
  return system(ctx, async (ctx) => {
    const before = await deploymentRow(ctx.db, deployId);
    if (before.state === 'queued' && before.image === null && !(await hasBuilder(ctx.db, deployId, buildsAtOnce))) {
      // It may have been ended meanwhile.
      return (await deploymentRow(ctx.db, deployId)).state === 'queued' ? 'wait' : 'ended';
    }
    const moved = await ctx
      .db('deployments as d')
      .where({ 'd.deploy_id': deployId, 'd.state': 'queued' })
      .modify((query) => oldestOpen(query, ctx.db))
      .update({ state: 'building', build_began_at: ctx.db.raw('case when d.image is null then clock_timestamp() end') });
    const row = await deploymentRow(ctx.db, deployId);
    if (moved > 0) {
      await markRunning(ctx.db, row.job_id);
      await stage(ctx.db, row.job_id, 'building');
      return 'moved';
    }
    if (row.state === 'building') return 'moved';
    return row.state === 'queued' ? 'wait' : 'ended';
  });
}

/**
 * A restart or a rollback whose image lies on no host that answers is built, and waits for a builder like any
 * other.
 */
async function queueBuildIfLost(ctx: Ctx, deployId: string, node: string): Promise<void> {
  // While an older one of its agent is undecided it waits anyway, and the engine need not be asked.
  const next = await ctx
    .db('deployments as d')
    .where({ 'd.deploy_id': deployId, 'd.state': 'queued' })
    .whereNotNull('d.image')
    .modify((query) => oldestOpen(query, ctx.db))
    .first('d.image');
  if (next?.image && (await nodeWith(ctx, next.image, { node })) === undefined) await loseImage(ctx, deployId, next.image);
}

/**
 * Its image cannot be had: it is built again, from building on. Resolves 'ended' when the deployment was
 * cancelled or failed meanwhile.
 */
export async function loseImage(ctx: Ctx, deployId: string, image: string): Promise<StepOutcome> {
  return system(ctx, async (ctx) => {
    const before = await ctx.db('deployments').where({ deploy_id: deployId, image }).forUpdate().first('state', 'job_id');
    if (before?.state !== 'queued' && before?.state !== 'building' && before?.state !== 'starting') return 'ended';
    const builds = before.state !== 'queued';
    await ctx
      .db('deployments')
      .where({ deploy_id: deployId })
      .update({ image: null, image_bytes: null, sdk: null, card: null, ...(builds && { state: 'building', build_began_at: ctx.db.raw('clock_timestamp()') }) });
    if (before.state === 'starting') await stage(ctx.db, before.job_id, 'building');
    return 'moved';
  });
}

/**
 * building → starting → verifying; resolves 'ended' when the deployment was cancelled or failed meanwhile.
 */
export async function advance(
  ctx: Ctx,
  deployId: string,
  from: DeploymentState,
  to: DeploymentState,
  facts: { image?: string; image_bytes?: number; sdk?: string; runs_on?: string } = {},
): Promise<StepOutcome> {
  return system(ctx, async (ctx) => {
    const moved = await ctx
      .db('deployments')
      .where({ deploy_id: deployId, state: from })
      .update({ state: to, build_ended_at: buildEnded(ctx.db), ...facts });
    const row = await deploymentRow(ctx.db, deployId);
    if (moved > 0) await stage(ctx.db, row.job_id, to);
    if (moved > 0 && from === 'building') await wakeLine(ctx);
    return row.state === to ? 'moved' : 'ended';
  });
}

/**
 * The route switches here, in one transaction: the new deployment serves from its commit on, the old one
 * drains.
 */
export async function goLive(ctx: Ctx, deployId: string, instanceId: string, card: AgentCard): Promise<StepOutcome> {
  return system(ctx, async (ctx) => {
    // The agent's row first, as everywhere: two verbs that lock in the same order cannot deadlock.
    const { agent_id } = await deploymentRow(ctx.db, deployId);
    const agent = await ctx.db('agents').where({ agent_id }).whereNull('deleted_at').forUpdate().first();
    if (!agent) return 'ended';
    const row = await deploymentRow(ctx.db, deployId);
    if (row.state !== 'verifying') return row.state === 'live' ? 'moved' : 'ended';
    // A version may come, the fix among them; it does not make an agent public that has an open critical
    // finding.
    const frozen = row.public === true && agent.visibility !== 'public' ? await freezingFinding(ctx.db, agent_id) : undefined;
    await ctx
      .db('deployments')
      .where({ agent_id: row.agent_id, state: 'live' })
      .update({ state: 'superseded', ended_at: ctx.db.raw('now()') });
    // Also what an interrupted start left: from now on one instance serves.
    await ctx
      .db('instances')
      .where({ agent_id: row.agent_id })
      .whereIn('state', ['starting', 'serving'])
      .whereNot({ instance_id: instanceId })
      .update({ state: 'draining' });
    await ctx
      .db('deployments')
      .where({ deploy_id: deployId })
      .update({ state: 'live', live_at: ctx.db.raw('now()'), card: JSON.stringify(card) });
    await ctx.db('instances').where({ instance_id: instanceId }).update({ state: 'serving' });
    await ctx
      .db('agents')
      .where({ agent_id: row.agent_id })
      .update({
        live_deploy_id: deployId,
        description: card.description,
        version: card.version,
        card: JSON.stringify(card),
        skills: card.skills.map((s) => s.id),
        search_text: searchText({ name: agent.name, description: card.description, tags: agent.tags, skills: card.skills }),
        updated_at: ctx.db.raw('now()'),
        ...(row.public === null ? {} : { visibility: row.public && !frozen ? 'public' : 'unlisted' }),
      });
    if (frozen) await appendEvent(ctx.db, row.job_id, 'promotion_frozen', { finding_id: frozen.finding_id, title: frozen.title });
    await indexVocabulary(ctx.db, { name: agent.name, tags: agent.tags, skills: card.skills.map((s) => s.id) });
    await declareMailbox(ctx, agent, row.manifest);
    await dropUndeclared(ctx.db, agent, row.manifest);
    await stage(ctx.db, row.job_id, 'live');
    await transitionJob(ctx.db, row.job_id, { from: openStates, to: 'succeeded', output: { deploy_id: deployId, agent: agent.name } });
    await audit(ctx, 'deployment.live', { deployment: deployId }, { agent: agent.name, image: row.image });
    await routeChanged(ctx.db, agent.name);
    await queueReview(ctx, agent, row);
    await endTemplateUpdate(ctx.db, deployId, 'applied');
    await wakeNext(ctx, row);
    return 'moved';
  });
}

/** Ends an undecided deployment as failed or cancelled; what serves continues to serve. */
export async function endDeployment(ctx: Ctx, deployId: string, state: 'failed' | 'cancelled', fault: Fault): Promise<void> {
  await system(ctx, async (ctx) => {
    const moved = await ctx
      .db('deployments')
      .where({ deploy_id: deployId })
      .whereIn('state', OPEN_DEPLOYMENT_STATES)
      .update({ state, error: JSON.stringify(fault), ended_at: ctx.db.raw('now()'), build_ended_at: buildEnded(ctx.db) });
    const row = await deploymentRow(ctx.db, deployId);
    if (moved > 0) await stage(ctx.db, row.job_id, state);
    if (row.state !== 'live') await transitionJob(ctx.db, row.job_id, { from: openStates, to: state, error: fault });
    await ctx.db('instances').where({ deploy_id: deployId, state: 'starting' }).update({ state: 'draining' });
    if (moved > 0) {
      await endTemplateUpdate(ctx.db, deployId, 'rejected');
      await audit(ctx, `deployment.${state}`, { deployment: deployId }, { code: fault.code });
      await wakeLine(ctx, await wakeNext(ctx, row));
    }
  });
}

export async function deploymentRow(db: Knex, deployId: string): Promise<DeploymentsRow> {
  const row = await db('deployments').where({ deploy_id: deployId }).first();
  if (!row) throw new Error(`no deployment ${deployId}`);
  return row;
}

/** The builder is free from here on. */
const buildEnded = (tx: Knex): Knex.Raw => tx.raw(`case when state = 'building' and image is null then clock_timestamp() else build_ended_at end`);

async function stage(tx: Knex, jobId: string, name: DeploymentState): Promise<void> {
  await appendEvent(tx, jobId, 'stage', { stage: name });
}

/** Wakes the agent's next queued deployment. It also checks on its own now and then. */
async function wakeNext(ctx: TxCtx, row: DeploymentsRow): Promise<string | undefined> {
  const next = await ctx
    .db('deployments')
    .where({ agent_id: row.agent_id, state: 'queued' })
    .where('number', '>', row.number)
    .orderBy('number')
    .first('deploy_id');
  if (next) await signalWorkflow(ctx, `deploy:${next.deploy_id}`, 'turn');
  return next?.deploy_id;
}
