// A look at the agents of an account: what is known of them is read, and proposals are written. No agent is
// called, changed or deployed, no model asked.
import type { Knex } from 'knex';
import type { AutopilotRunOut } from '#contract/studio/autopilot.ts';
import type { Insert } from '#db/table-types.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { requireUser } from '../../kernel/policy.ts';
import { storableJson, storableText } from '../../kernel/storable.ts';
import { type Cause, fingerprintOf } from './cause.ts';
import { withEvidence } from './evidence.ts';
import { agentsOf, callsOf, noCalls, noSpending, spendingByAgent } from './facts.ts';
import { headsOf } from './heads.ts';
import { findingsOf, reviewsOf } from './judged.ts';
import { presentProposal } from './proposal.ts';
import { cost, failures, latency } from './rules-of-calls.ts';
import { advisories, drift, findings, lockFileCause, unused } from './rules-of-source.ts';
import { type Looked, diffProposals } from './settle.ts';
import { AUTOPILOT_DAY_MS, PROPOSAL_DAYS, QUIET_DAYS } from './thresholds.ts';

/** At the live agents of who acts. Those whose source hosting does not answer are left for another time. */
export async function runAutopilot(ctx: Ctx): Promise<AutopilotRunOut> {
  const { user_id } = requireUser(ctx, 'autopilot.look');
  const { causes, heads } = await causesOf(ctx, user_id);
  const now = ctx.clock();
  return act(ctx, 'autopilot.look', requireUser, async (ctx) => {
    // Of two looks at once the second finds what the first has written.
    await lockName(ctx.db, `autopilot/${user_id}`);
    const known = await knownOf(ctx.db, user_id, now);
    const { create, expire } = diffProposals({ known, gone: await goneOf(ctx.db, known), causes, heads, now });
    await ctx.db.raw(
      `update studio_proposals p set state = 'expired', reason = x.reason from unnest(:ids::text[], :reasons::text[]) x(id, reason)
       where p.proposal_id = x.id and p.state = 'open'`,
      { ids: expire.map(({ proposal_id }) => proposal_id), reasons: expire.map(({ reason }) => reason) },
    );
    const rows = (await withEvidence(ctx.db, user_id, create, now)).map((cause) => rowOf(cause, user_id, heads.get(cause.agent.agent_id) ?? null, now));
    const created = rows.length === 0 ? [] : await ctx.db('studio_proposals').insert(rows).returning('*');
    return done(
      { user: user_id },
      { agents: heads.size, created: created.length, expired: expire.length },
      { looked_at: heads.size, created: created.map((row) => presentProposal(row, now)), expired: expire.length },
    );
  });
}

async function causesOf(ctx: Ctx, ownerId: string): Promise<{ causes: Cause[]; heads: Map<string, string | null> }> {
  const { db } = ctx;
  const now = ctx.clock();
  const live = await agentsOf(db, ownerId);
  const heads = await headsOf(ctx, ownerId, live);
  const agents = live.filter(({ agent_id }) => heads.has(agent_id));
  const ids = agents.map(({ agent_id }) => agent_id);
  const calls = await callsOf(db, ids, now);
  const spending = await spendingByAgent(db, ownerId, agents, now);
  const reviews = await reviewsOf(db, agents.map(({ deploy_id }) => deploy_id)); // prettier-ignore
  const open = await findingsOf(db, ids, now);
  const causes = agents.flatMap((agent): (Cause | undefined)[] => {
    const [called, review, found] = [calls.get(agent.agent_id) ?? noCalls, reviews.get(agent.agent_id), open.get(agent.agent_id)];
    return [
      failures(agent, called, now),
      latency(agent, called),
      cost(agent, spending.get(agent.agent_id) ?? noSpending),
      review && advisories(agent, review),
      review && lockFileCause(agent, review, now),
      found && findings(agent, found),
      unused(agent, now),
      drift(agent, heads.get(agent.agent_id) ?? null, now),
    ];
  });
  return { causes: causes.filter((cause) => cause !== undefined), heads };
}

/** Open ones, and those that a person has decided a while ago at most; the newest first. */
async function knownOf(tx: Knex.Transaction, ownerId: string, now: number): Promise<Looked['known']> {
  const { rows } = await tx.raw<{ rows: Looked['known'] }>(
    `select proposal_id, agent_id, state, severity, evidence, source_head_sha, fingerprint, expires_at from studio_proposals
     where owner_id = :owner and (state = 'open' or (state = 'rejected' and decided_at > :rejected) or (state = 'accepted' and decided_at > :accepted))
     order by created_at desc, proposal_id desc`,
    { owner: ownerId, rejected: new Date(now - QUIET_DAYS.rejected * AUTOPILOT_DAY_MS), accepted: new Date(now - QUIET_DAYS.accepted * AUTOPILOT_DAY_MS) },
  );
  return rows;
}

async function goneOf(tx: Knex.Transaction, known: Looked['known']): Promise<Set<string>> {
  const ids = [...new Set(known.filter(({ state }) => state === 'open').map(({ agent_id }) => agent_id))];
  const rows = await tx('agents')
    .whereIn('agent_id', ids)
    .whereRaw('(deleted_at is not null or live_deploy_id is null)')
    .select<{ agent_id: string }[]>('agent_id');
  return new Set(rows.map(({ agent_id }) => agent_id));
}

function rowOf(cause: Cause, ownerId: string, head: string | null, now: number): Insert<'studio_proposals'> {
  const { agent, category, severity, title, idea, rationale, evidence } = cause;
  return {
    proposal_id: newId('prp', now),
    owner_id: ownerId,
    agent_id: agent.agent_id,
    agent_name: agent.name,
    state: 'open',
    severity,
    category,
    title: storableText(title),
    idea: storableText(idea),
    rationale: storableText(rationale),
    evidence: storableJson(evidence),
    source_head_sha: head,
    fingerprint: fingerprintOf(cause),
    created_at: new Date(now),
    expires_at: new Date(now + PROPOSAL_DAYS * AUTOPILOT_DAY_MS),
  };
}
