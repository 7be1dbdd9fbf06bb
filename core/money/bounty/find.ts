import type { Knex } from 'knex';
import type { z } from 'zod';
import type { BountyOut, OwnBountyOut } from '#contract/money/bounties.ts';
import type { BountiesRow } from '#db/tables.ts';
import { NotFound } from '../../kernel/errors.ts';

/** `agent`: by its name; `listed`: it may be shown to everybody now. */
export type BountyView = BountiesRow & { agent: string | null; listed: boolean | null };
export type Bounty = z.infer<typeof BountyOut>;
export type OwnBounty = z.infer<typeof OwnBountyOut>;

/** Bounties with the names of their agents. */
export function selectBounties(db: Knex): Knex.QueryBuilder<BountyView, BountyView[]> {
  return db('bounties as b')
    .leftJoin('agents as a', 'a.agent_id', 'b.agent_id')
    .select('b.*', 'a.name as agent', db.raw(`a.visibility = 'public' and a.deleted_at is null as listed`));
}

/** @throws NotFound bounty_not_found */
export async function bountyOf(db: Knex, slug: string): Promise<BountyView> {
  const row = await selectBounties(db).where('b.slug', slug).first();
  if (!row) throw new NotFound('bounty_not_found', `There is no bounty ${slug}`);
  return row;
}

/** An agent that is not public any more is not named. */
export function presentBounty(row: BountyView): Bounty {
  return {
    slug: row.slug,
    title: row.title,
    description: row.description,
    example_input: row.example_input,
    example_output: row.example_output,
    tags: row.tags,
    reward_micros: row.reward_micros,
    require_proof: row.require_proof,
    state: row.state,
    agent: row.listed === true ? row.agent : null,
    created_at: row.created_at.toISOString(),
    claimed_at: row.claimed_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
  };
}

export function presentOwnBounty(row: BountyView, userId: string): OwnBounty {
  const [posted_by_me, claimed_by_me] = [row.poster_id === userId, row.claimed_by === userId];
  const shown = presentBounty(row);
  return { ...shown, agent: posted_by_me || claimed_by_me ? row.agent : shown.agent, posted_by_me, claimed_by_me };
}
