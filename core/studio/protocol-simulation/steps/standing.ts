// What decides whether an agent is promoted, and what a copy has of it.
import { newId } from '../../../kernel/ids.ts';
import { system, together } from '../../../kernel/act.ts';
import { claimName } from '../../../agents/agent/claim-name.ts';
import { deleteAgent } from '../../../agents/agent/delete.ts';
import { setVisibility } from '../../../agents/agent/visibility.ts';
import { resolveRoute } from '../../../agents/route/resolve.ts';
import { putSecret } from '../../../agents/secret/put.ts';
import { createApiToken } from '../../../identity/api-token/create.ts';
import { answerFindings, hasFindings, noteFinding, standingOf } from '../findings.ts';
import { canaryOf, stageActor } from '../stage/model.ts';
import { insertStagedDeployment } from '../stage/open.ts';
import { asUser, NotApplicable, stepResult, stagedAgent, type StepHandler } from './play.ts';

export const finding: StepHandler<'finding'> = async ({ ctx, stage }, { severity }) => {
  if (!(await hasFindings(ctx.db))) throw new NotApplicable('This installation keeps no findings yet');
  await noteFinding(ctx, stage.agent, severity);
  return { outcome: 'accepted' };
};

export const answerFindingStep: StepHandler<'answer_finding'> = async ({ ctx, stage }) => {
  await answerFindings(ctx, stage.agent);
  return { outcome: 'accepted' };
};

class Undo extends Error {}

/**
 * Calls the verb itself in a transaction that is rolled back, so that the copy never appears in the catalog.
 */
export const publish: StepHandler<'publish'> = (play) =>
  stepResult(async () => {
    await together(asUser(play), async (ctx) => {
      await setVisibility(ctx, { name: play.stage.agent.name, visibility: 'public' });
      throw new Undo();
    }).catch((error: unknown) => {
      if (!(error instanceof Undo)) throw error;
    });
    return {};
  });

/**
 * Another agent of the same code and card, as anybody makes one by deploying the source under another name;
 * with a secret, a token and no machine.
 */
export const copy: StepHandler<'copy'> = async (play) => {
  const { ctx, stage } = play;
  play.copies += 1;
  const name = `${stage.agent.name}-${play.label}-${play.copies}`;
  const user = stageActor(stage.userId);
  const of = await ctx.db('deployments').where({ deploy_id: stage.agent.deployId }).first();
  if (!of) throw new NotApplicable('Its machine does not serve');
  const made = await system(asUser(play), async (ctx) => {
    const agentId = (await claimName(ctx, user, name)) ?? '';
    const deployId = newId('dep', ctx.clock());
    await insertStagedDeployment(ctx, { userId: stage.userId, agent: { id: agentId, name }, deployId, of });
    await ctx
      .db('agents')
      .where({ agent_id: agentId })
      .update({ live_deploy_id: deployId, card: JSON.stringify(of.card), deploy_count: 1 });
    return { agentId, name, deployId };
  });
  play.copy = made;
  await putSecret(asUser(play), { name, key: 'REHEARSAL_KEY', value: await canaryOf(ctx, stage.jobId, name), inject: null, restart: false });
  await createApiToken(asUser(play), { name, label: 'rehearsal', scopes: null, expires_in_days: 1 });
  const row = await ctx.db('agents').where({ agent_id: made.agentId }).first('visibility');
  return { outcome: 'accepted', facts: { visibility: row?.visibility ?? 'none' } };
};

export const trust: StepHandler<'trust'> = async (play, step) => {
  const agent = stagedAgent(play, step.of);
  return { outcome: 'accepted', facts: { ...(await standingOf(play.ctx.db, agent)) } };
};

export const deleteStep: StepHandler<'delete'> = (play) => {
  const { name } = stagedAgent(play, 'copy');
  return stepResult(async () => {
    await deleteAgent(asUser(play), { name });
    return {};
  });
};

export const left: StepHandler<'left'> = async (play) => {
  const { db } = play.ctx;
  const { agentId: agent_id, name } = stagedAgent(play, 'copy');
  const count = async (query: Promise<{ count: number | string }[]>): Promise<number> => Number((await query)[0]?.count ?? 0);
  const agentRow = await db('agents').where({ agent_id }).whereNull('deleted_at').first('agent_id');
  return {
    outcome: 'accepted',
    facts: {
      secrets: await count(db('agent_secrets').where({ agent_id }).count('* as count')),
      tokens: await count(db('platform_tokens').where({ agent_id }).whereNull('revoked_at').count('* as count')),
      settings: await count(db('consumer_setup_values').where({ agent_id }).count('* as count')),
      found: agentRow !== undefined,
      reachable: (await resolveRoute(play.ctx, name)) !== undefined,
    },
  };
};
