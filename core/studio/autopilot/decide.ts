// A person decides a proposal. Accepting holds for the source that it was made of.
import type { ProposalDecisionIn, ProposalOut } from '#contract/studio/autopilot.ts';
import type { ProposalCategory } from '#contract/states.ts';
import type { StudioProposalsRow } from '#db/tables.ts';
import { fromHosting } from '../../deploys/repository/hosting.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { storableText } from '../../kernel/storable.ts';
import { headOf } from './heads.ts';
import { isOpenProposal, presentProposal, proposalOf } from './proposal.ts';

type CarryOut = NonNullable<ProposalDecisionIn['carry_out']>;

/** Starts a run of the studio that edits the agent, in the transaction that accepts; resolves with its id. */
export type StartEdit = (ctx: TxCtx, i: { agent: string; goal: string; carry_out: CarryOut; proposal_id: string }) => Promise<string>;

const LONGEST_GOAL = 800;
/** What no edit of the source does. */
const NO_EDIT: readonly ProposalCategory[] = ['unused', 'drift'];

/**
 * @throws NotFound studio_proposal_not_found; Conflict studio_proposal_decided, studio_proposal_stale,
 * studio_proposal_not_editable; Unavailable source_hosting_down; what `startEdit` refuses
 */
export async function decideProposal(ctx: Ctx, i: ProposalDecisionIn & { proposal_id: string }, startEdit: StartEdit): Promise<ProposalOut> {
  const { user_id } = requireUser(ctx, 'proposal.decide');
  const seen = await proposalOf(ctx.db, user_id, i.proposal_id);
  requireOpen(seen, ctx.clock());
  if (i.decision === 'accept') await requireFresh(ctx, seen, i.carry_out !== undefined);
  return act(ctx, 'proposal.decide', requireUser, async (ctx) => {
    const now = ctx.clock();
    const row = await ctx.db('studio_proposals').where({ proposal_id: i.proposal_id, owner_id: user_id }).forUpdate().first();
    requireOpen(row ?? seen, now);
    const { agent_name: agent, proposal_id } = seen;
    const run_id = i.carry_out === undefined ? null : await startEdit(ctx, { agent, goal: goalOf(seen), carry_out: i.carry_out, proposal_id });
    const state = i.decision === 'accept' ? 'accepted' : 'rejected';
    const [decided] = await ctx
      .db('studio_proposals')
      .where({ proposal_id, state: 'open' })
      .update({ state, run_id, reason: i.reason === '' ? null : storableText(i.reason), decided_at: new Date(now) })
      .returning('*');
    if (!decided) throw new Error('a proposal is gone');
    return done({ proposal: proposal_id }, { decision: i.decision, agent, category: seen.category, run_id }, presentProposal(decided, now));
  });
}

function requireOpen(row: StudioProposalsRow, now: number): void {
  if (isOpenProposal(row, now)) return;
  const how = row.state === 'open' ? 'expired' : row.state;
  throw new Conflict('studio_proposal_decided', `The proposal ${row.proposal_id} is ${how}: let your agents be looked at again`);
}

async function requireFresh(ctx: Ctx, row: StudioProposalsRow, edits: boolean): Promise<void> {
  const agent = await ctx.db('agents').where({ agent_id: row.agent_id }).whereNull('deleted_at').first('name', 'kind');
  const stale = (why: string): Conflict => new Conflict('studio_proposal_stale', `${why}: let your agents be looked at again`);
  if (!agent) throw stale(`${row.agent_name} is no longer there`);
  if (edits && (NO_EDIT.includes(row.category) || agent.kind !== 'hosted'))
    throw new Conflict(
      'studio_proposal_not_editable',
      `No edit of the source of ${row.agent_name} does this: accept it without carry_out, and do what it says`,
    );
  const head = await fromHosting(headOf(ctx, row.owner_id, agent));
  if (head !== row.source_head_sha) throw stale(`The source of ${row.agent_name} has other commits than when this was proposed`);
}

function goalOf({ title, idea, rationale }: StudioProposalsRow): string {
  return `${title}. ${idea} ${rationale}`.slice(0, LONGEST_GOAL).toWellFormed().trim();
}
