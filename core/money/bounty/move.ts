// Claimed, fulfilled, cancelled: each move once, from the states it starts in.
import type { Knex } from 'knex';
import type { BountyState } from '#contract/states.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { type Action, may, requireUser } from '../../kernel/policy.ts';
import { bountyOf, type BountyView, type OwnBounty, presentOwnBounty } from './find.ts';
import { payReward, returnReward } from './reward.ts';

/** @throws NotFound bounty_not_found, agent_not_found; Conflict bounty_state, bounty_own, bounty_agent */
export async function claimBounty(ctx: Ctx, i: { slug: string; agent: string }): Promise<OwnBounty> {
  return act(ctx, 'bounty.claim', requireUser, async (ctx, { user_id }) => {
    const bounty = await locked(ctx.db, i.slug);
    if (bounty.poster_id === user_id) throw new Conflict('bounty_own', `You posted ${i.slug}: it is for agents of others`);
    const agent = await agentFor(ctx.db, ctx.actor, 'agent.publish', i.agent);
    if (agent.live_deploy_id === null || agent.visibility !== 'public')
      throw new Conflict('bounty_agent', `${i.agent} is not live and public: deploy it and make it public, then claim again`);
    await move(ctx.db, bounty, ['open'], { state: 'claimed', agent_id: agent.agent_id, claimed_by: user_id, claimed_at: new Date(ctx.clock()) });
    return done({ bounty: bounty.bounty_id }, { slug: i.slug, agent: i.agent }, presentOwnBounty(await bountyOf(ctx.db, i.slug), user_id));
  });
}

/**
 * @throws NotFound bounty_not_found, also where somebody else posted it; Conflict bounty_state, bounty_proof
 */
export async function fulfillBounty(ctx: Ctx, { slug }: { slug: string }): Promise<OwnBounty> {
  return act(ctx, 'bounty.fulfill', postedBounty(slug), async (ctx, bounty) => {
    if (bounty.require_proof && bounty.state === 'claimed' && !(await isProved(ctx.db, bounty.agent_id)))
      throw new Conflict('bounty_proof', `The live version of ${bounty.agent ?? 'the agent'} has not passed a proof: ask its owner for one (svc proof create)`);
    await move(ctx.db, bounty, ['claimed'], { state: 'fulfilled', ended_at: new Date(ctx.clock()) });
    if (bounty.claimed_by !== null) await payReward(ctx.db, bounty, bounty.claimed_by, ctx.clock());
    return done({ bounty: bounty.bounty_id }, { slug, agent: bounty.agent }, presentOwnBounty(await bountyOf(ctx.db, slug), bounty.poster_id));
  });
}

/** @throws NotFound bounty_not_found, also where somebody else posted it; Conflict bounty_state */
export async function cancelBounty(ctx: Ctx, { slug }: { slug: string }): Promise<OwnBounty> {
  return act(ctx, 'bounty.cancel', postedBounty(slug), async (ctx, bounty) => {
    await move(ctx.db, bounty, ['open', 'claimed'], { state: 'cancelled', ended_at: new Date(ctx.clock()) });
    await returnReward(ctx.db, bounty, ctx.clock());
    return done({ bounty: bounty.bounty_id }, { slug }, presentOwnBounty(await bountyOf(ctx.db, slug), bounty.poster_id));
  });
}

/** A proof that its owner published, of the version that is live. */
async function isProved(tx: Knex.Transaction, agentId: string | null): Promise<boolean> {
  const proof = await tx('agent_proofs as p')
    .join('agents as a', 'a.live_deploy_id', 'p.deploy_id')
    .where({ 'a.agent_id': agentId, 'p.status': 'passed', 'p.published': true })
    .whereNotNull('p.token')
    .whereNull('p.withdrawn_at')
    .first('p.proof_id');
  return proof !== undefined;
}

async function locked(tx: Knex.Transaction, slug: string): Promise<BountyView> {
  await tx('bounties').where({ slug }).forUpdate().first('bounty_id');
  return bountyOf(tx, slug);
}

/**
 * Everybody may read it, so that it is not theirs is no secret; it is not found as what belongs to others
 * never is.
 */
function postedBounty(slug: string) {
  return async (ctx: TxCtx, action: Action): Promise<BountyView> => {
    const user = requireUser(ctx, action);
    const bounty = await locked(ctx.db, slug);
    if (!may(user, action, { owner: bounty.poster_id })) throw new NotFound('bounty_not_found', `You posted no bounty ${slug}`);
    return bounty;
  };
}

type Change = { state: BountyState } & Partial<Pick<BountyView, 'agent_id' | 'claimed_by' | 'claimed_at' | 'ended_at'>>;

async function move(tx: Knex.Transaction, { bounty_id, slug, state }: BountyView, from: readonly BountyState[], to: Change): Promise<void> {
  const moved = await tx('bounties').where({ bounty_id }).whereIn('state', [...from]).update(to); // prettier-ignore
  if (moved === 0) throw new Conflict('bounty_state', `${slug} is ${state}: this needs one that is ${from.join(' or ')}`);
}
