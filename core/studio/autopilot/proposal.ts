// Proposals as they are shown. One whose time is over counts as expired, whether a look has noticed or not.
import type { Knex } from 'knex';
import type { ProposalListOut, ProposalOut } from '#contract/studio/autopilot.ts';
import type { ProposalState } from '#contract/states.ts';
import type { StudioProposalsRow } from '#db/tables.ts';
import type { z } from 'zod';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { newestPage } from '../../kernel/keyset.ts';
import { requireUser, whereMay } from '../../kernel/policy.ts';

interface ListIn {
  limit: number;
  cursor?: string | undefined;
  state: ProposalState | 'all';
  agent?: string | undefined;
}

/** Newest first. */
export async function listProposals(ctx: Ctx, i: ListIn): Promise<z.infer<typeof ProposalListOut>> {
  requireUser(ctx, 'autopilot.read');
  const query = ctx
    .db('studio_proposals as p')
    .select<StudioProposalsRow[]>('p.*')
    .where(whereMay(ctx.actor, 'autopilot.read', { owner: 'p.owner_id' }));
  if (i.state !== 'all') inState(query, i.state, ctx.clock());
  if (i.agent !== undefined) void query.where('p.agent_name', i.agent);
  return newestPage(query, ['p.created_at', 'p.proposal_id'], i, (row) => presentProposal(row, ctx.clock()));
}

function inState(query: Knex.QueryBuilder, state: ProposalState, clock: number): void {
  const now = new Date(clock);
  if (state === 'open') void query.where('p.state', 'open').where('p.expires_at', '>', now);
  else if (state === 'expired') void query.whereRaw(`(p.state = 'expired' or (p.state = 'open' and p.expires_at <= ?))`, [now]);
  else void query.where('p.state', state);
}

/** @throws NotFound studio_proposal_not_found */
export async function readProposal(ctx: Ctx, i: { proposal_id: string }): Promise<ProposalOut> {
  const { user_id } = requireUser(ctx, 'autopilot.read');
  return presentProposal(await proposalOf(ctx.db, user_id, i.proposal_id), ctx.clock());
}

/** @throws NotFound studio_proposal_not_found */
export async function proposalOf(db: Knex, ownerId: string, proposalId: string): Promise<StudioProposalsRow> {
  const row = await db('studio_proposals').where({ proposal_id: proposalId, owner_id: ownerId }).first();
  if (!row) throw new NotFound('studio_proposal_not_found', `You have no proposal ${proposalId}: list those of your agents`);
  return row;
}

export async function countOpen(db: Knex, ownerId: string, clock: number): Promise<number> {
  const [row] = await db('studio_proposals')
    .where({ owner_id: ownerId, state: 'open' })
    .where('expires_at', '>', new Date(clock))
    .select<{ count: number }[]>(db.raw('count(*)::int as count'));
  return row?.count ?? 0;
}

export const isOpenProposal = ({ state, expires_at }: Pick<StudioProposalsRow, 'state' | 'expires_at'>, now: number): boolean =>
  state === 'open' && expires_at.getTime() > now;

export function presentProposal(row: StudioProposalsRow, now: number): ProposalOut {
  return {
    proposal_id: row.proposal_id,
    agent: row.agent_name,
    state: row.state === 'open' && !isOpenProposal(row, now) ? 'expired' : row.state,
    severity: row.severity,
    category: row.category,
    title: row.title,
    idea: row.idea,
    rationale: row.rationale,
    // Safe: look() writes lists of evidence.
    evidence: row.evidence as ProposalOut['evidence'],
    source_head_sha: row.source_head_sha,
    run_id: row.run_id,
    reason: row.reason,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    decided_at: row.decided_at?.toISOString() ?? null,
  };
}
