// What is known of the agents that an account may send work to, as it is listed.
import type { RegistryEntryOut, ScorecardOut } from '#contract/studio/collective-runtime.ts';
import { ROUTING_STATES, type RoutingState } from '#contract/states.ts';
import { type Known, knownOf } from '../../deploys/planner/known.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { decodeCursor, type Page, toPage } from '../../kernel/page.ts';
import { requireUser } from '../../kernel/policy.ts';

/** Own, installed, or called before. */
export const REGISTERED = `(a.owner_id = :account or exists (select 1 from installed_agents i where i.user_id = :account and i.agent_id = a.agent_id)
  or exists (select 1 from scorecards s where s.account_id = :account and s.agent_id = a.agent_id))`;

interface ListIn {
  limit: number;
  cursor?: string | undefined;
}

async function registered<T>(ctx: Ctx, i: ListIn, present: (known: Known) => T): Promise<Page<T>> {
  const { user_id } = requireUser(ctx, 'team.read');
  const [after] = i.cursor === undefined ? [undefined] : decodeCursor(i.cursor, ['string']);
  // The names first: what is known is then read for one page only.
  const { rows } = await ctx.db.raw<{ rows: { agent_id: string }[] }>(
    `select a.agent_id from agents a where a.deleted_at is null and a.live_deploy_id is not null and ${REGISTERED} ${after === undefined ? '' : 'and a.name > :after'}
     order by a.name limit :limit`,
    { account: user_id, limit: i.limit + 1, ...(after === undefined ? {} : { after }) },
  );
  const ids = rows.map(({ agent_id }) => agent_id);
  const known = (await knownOf(ctx, user_id, 'a.agent_id = any(:ids)', { ids })).toSorted((a, b) => (a.row.name < b.row.name ? -1 : 1));
  return toPage(known, i.limit, present, ({ row }) => [row.name]);
}

export const listScorecards = (ctx: Ctx, i: ListIn): Promise<Page<ScorecardOut>> => registered(ctx, i, presentScorecard);
export const listRegistry = (ctx: Ctx, i: ListIn): Promise<Page<RegistryEntryOut>> => registered(ctx, i, presentEntry);

const presentEntry = ({ row, score, routing }: Known): RegistryEntryOut => ({
  agent: row.name,
  own: row.own,
  description: row.description,
  skills: row.skills,
  ...routing,
  mean: score.mean,
  low: score.low,
});

const presentScorecard = ({ row, score, routing }: Known): ScorecardOut => ({
  agent: row.name,
  ...score,
  calls: Number(row.calls),
  proofs: { passed: row.proofs_passed, failed: row.proofs_failed },
  trials: { count: row.trials, mean: row.trials_mean },
  ratings: { count: row.ratings, mean: row.ratings_mean },
  ...routing,
});

/** Of the whole registry. */
export async function countByRouting(ctx: Ctx, accountId: string): Promise<Record<RoutingState, number>> {
  const known = await knownOf(ctx, accountId, REGISTERED, {});
  const of = (state: RoutingState): number => known.filter(({ routing }) => routing.routing_state === state).length;
  // Safe: an entry for every state.
  return Object.fromEntries(ROUTING_STATES.map((state) => [state, of(state)])) as Record<RoutingState, number>;
}
