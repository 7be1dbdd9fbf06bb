// The state of the agents that work may go to, and what follows from it: only proposals.
import type { PopulationOut, SelectionOut } from '#contract/studio/company-brain.ts';
import { TEAM_PROTOCOLS } from '#contract/studio/team-protocols.ts';
import { act, recorded } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';
import { candidatesFor } from '../collective/candidates.ts';
import { type Known, knownOf } from '../../deploys/planner/known.ts';
import { REGISTERED } from '../collective/scorecards.ts';
import { keepArtifact, type StoredArtifact } from './artifact.ts';

const DAY_MS = 86_400_000;
/** Receipts that are named for one statement. */
const MOST_SOURCES = 5;
/** From this weight on, what is known of an agent is enough to say that it does badly. */
const ENOUGH = 5;

export async function takePopulation(ctx: Ctx): Promise<StoredArtifact<PopulationOut>> {
  const { user_id } = requireUser(ctx, 'brain.change');
  const known = await knownOf(ctx, user_id, REGISTERED, {});
  const receipts = await newestReceipts(ctx, user_id, known.map(({ agent_id }) => agent_id)); // prettier-ignore
  const agents = known
    .toSorted((a, b) => b.score.low - a.score.low || (a.row.name < b.row.name ? -1 : 1))
    .map(({ agent_id, row, score, routing }) => ({ agent: row.name, own: row.own, ...routing, low: score.low, calls: Number(row.calls), last_call: receipts.get(agent_id)?.at ?? null, sources: receipts.get(agent_id)?.ids ?? [] })); // prettier-ignore
  const roles: PopulationOut['roles'] = [];
  for (const { protocol, roles: all } of TEAM_PROTOCOLS) {
    const candidates = await candidatesFor(ctx, user_id, { roles: all, goal: '', risk: 'medium' });
    // A role without words of its own is filled by the goal.
    for (const { role, words } of all)
      if (words.some((word) => word !== '')) roles.push({ protocol, role, agents: new Set(candidates.get(role)?.map(({ agent }) => agent)).size });
  }
  return act(ctx, 'brain.change', requireUser, async (ctx) =>
    recorded(await keepArtifact(ctx, { owner_id: user_id, kind: 'population' }, { agents, roles }, { agents: agents.length })),
  );
}

export async function proposeSelection(ctx: Ctx, i: { unused_days: number }): Promise<StoredArtifact<SelectionOut>> {
  const { user_id } = requireUser(ctx, 'brain.change');
  const known = await knownOf(ctx, user_id, 'a.owner_id = :account', {});
  const receipts = await newestReceipts(ctx, null, known.map(({ agent_id }) => agent_id)); // prettier-ignore
  const since = ctx.clock() - i.unused_days * DAY_MS;
  const proposals = known.map((one): SelectionOut['proposals'][number] => {
    const last = receipts.get(one.agent_id);
    return { agent: one.row.name, ...proposalFor(one, last?.at, since, i.unused_days), sources: last?.ids ?? [] };
  });
  return act(ctx, 'brain.change', requireUser, async (ctx) =>
    recorded(await keepArtifact(ctx, { owner_id: user_id, kind: 'selection' }, { proposals }, { proposals: proposals.length })),
  );
}

function proposalFor(
  { routing, score }: Known,
  last: string | undefined,
  since: number,
  days: number,
): Pick<SelectionOut['proposals'][number], 'proposal' | 'reason'> {
  if (routing.routing_state === 'blocked') return { proposal: 'improve', reason: routing.reason };
  if (routing.routing_state === 'degraded' && score.weight >= ENOUGH) return { proposal: 'retire', reason: routing.reason };
  if (routing.routing_state === 'degraded') return { proposal: 'improve', reason: routing.reason };
  if (last === undefined || Date.parse(last) < since)
    return { proposal: 'retire', reason: last === undefined ? 'It was never called' : `It had no call for ${days} days` };
  return { proposal: 'keep', reason: routing.reason };
}

/** Of calls by the account; null: by anybody. */
export async function newestReceipts(ctx: Ctx, callerId: string | null, agentIds: readonly string[]): Promise<Map<string, { at: string; ids: string[] }>> {
  const { rows } = await ctx.db.raw<{ rows: { agent_id: string; ids: string[]; at: Date }[] }>(
    `select a.id as agent_id, array_agg(r.receipt_id order by r.created_at desc) as ids, max(r.created_at) as at
     from unnest(:ids::text[]) as a(id)
       cross join lateral (
         select receipt_id, created_at from receipts
         where agent_id = a.id and source = 'platform' and (:caller::text is null or caller_user_id = :caller) order by created_at desc limit ${MOST_SOURCES}
       ) r
     group by a.id`,
    { ids: [...agentIds], caller: callerId },
  );
  return new Map(rows.map(({ agent_id, ids, at }) => [agent_id, { ids, at: at.toISOString() }]));
}
