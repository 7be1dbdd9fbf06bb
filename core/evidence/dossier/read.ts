// What an agent claims, what was checked of it, what it may do, and what is open.
import type { Knex } from 'knex';
import type { DossierOut } from '#contract/evidence/agent-evidence.ts';
import type { DeploymentsRow } from '#db/tables.ts';
import type { AgentView } from '../../agents/agent/select.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { setting } from '../../kernel/settings.ts';
import { evidenceView } from '../collect/gather.ts';
import type { Viewed } from '../collect/source.ts';
import { type CardFacts, cardFacts } from './card-facts.ts';
import { brokenClaims, CALLS } from './claims.ts';
import { type Checks, readChecks, trustFacts } from './facts.ts';
import { risksOf } from './risk.ts';
import { trustOf } from './trust.ts';

const GRANTS = 1_000;

/** @throws NotFound agent_not_found */
export async function readDossier(ctx: Ctx, i: { name: string }): Promise<DossierOut> {
  const { agent, of } = await evidenceView(ctx, i.name);
  const now = ctx.clock();
  const [live, checks, broken, calls, grants, chain, proofDays] = await Promise.all([
    agent.live_deploy_id === null ? undefined : liveOf(ctx.db, agent.live_deploy_id),
    readChecks(ctx.db, { agent_id: agent.agent_id, live: agent.live_deploy_id }),
    brokenClaims(ctx.db, { agent_id: agent.agent_id, live: agent.live_deploy_id }),
    newestCalls(ctx.db, agent.agent_id),
    of.isOwner ? grantsOf(ctx.db, agent.name) : null,
    of.isOwner ? ctx.db('receipt_chains').where({ agent_id: agent.agent_id }).first('seq', 'head_sha256') : undefined,
    setting(ctx.db, 'proof_max_age_days'),
  ]);
  const trust = trustOf(trustFacts(checks, broken, live ? (live.live_at ?? live.created_at) : null, { now, proofDays }));
  const risks = risksOf(checks, broken, { live: live !== undefined, unwell_since: agent.unwell_since, isOwner: of.isOwner });
  const card = live?.card ?? (agent.card === null ? null : JSON.stringify(agent.card));
  const facts = card === null ? undefined : await cardFacts(agent.owner_id, card);
  const declared = facts?.declared;
  return {
    agent: agent.name,
    claims: claimsOf(agent, declared),
    live: live ? presentLive(live, of, facts) : null,
    ownership: {
      owner: of.isOwner ? agent.owner_id : null,
      yours: of.isOwner,
      since: agent.created_at.toISOString(),
      visibility: agent.visibility,
      deployments: agent.deploy_count,
    },
    trust: {
      state: trust.state,
      reason: trust.reason,
      checked_at: checkedAt(checks),
      reasons: [{ code: trust.code, message: trust.reason, at: trust.at === null ? null : new Date(trust.at).toISOString(), ref: null }],
    },
    authority: {
      hosts: declared?.hosts ?? [],
      internal_services: declared?.internal_services ?? [],
      files: declared?.files ?? [],
      needs_approval: declared?.needs_approval ?? false,
      secrets: of.isOwner ? (declared?.secrets ?? 0) : null,
      grants,
    },
    quality: { ...calls, review: reviewOf(checks), proofs: proofsOf(checks), trial: of.isOwner ? trialOf(checks) : null },
    risk: { open: risks.some(({ severity }) => severity !== 'info'), items: risks },
    redaction: of.isOwner ? [] : ['callers', 'findings', 'grants', 'owner', 'secrets', 'source', 'trials'],
    watermark: { as_of: new Date(now).toISOString(), receipts_seq: of.isOwner ? (chain?.seq ?? 0) : null, head_sha256: chain?.head_sha256 ?? null },
  };
}

const LIVE = [
  'deploy_id',
  'number',
  'version',
  'live_at',
  'created_at',
  'image',
  'source_sha256',
  'source_commit',
] as const satisfies readonly (keyof DeploymentsRow)[];
/** `card`: as JSON. */
type Live = Pick<DeploymentsRow, (typeof LIVE)[number]> & { card: string | null };

async function liveOf(db: Knex, deployId: string): Promise<Live | undefined> {
  return db('deployments')
    .where({ deploy_id: deployId })
    .first<Live | undefined>(...LIVE, db.raw('card::text as card'));
}

function claimsOf({ kind, description, tags, reuse_policy, skills }: AgentView, declared: CardFacts['declared']): DossierOut['claims'] {
  return {
    kind,
    description,
    tags,
    reuse_policy,
    skills: declared?.skills ?? skills.map((id) => ({ id, description: '', read_only: null, destructive: null })),
  };
}

/** Its source is the owner's to see; what it runs as is in every receipt. */
function presentLive(live: Live, { isOwner }: Viewed, facts: CardFacts | undefined): DossierOut['live'] {
  return {
    deploy_id: live.deploy_id,
    number: live.number,
    version: live.version,
    live_at: live.live_at?.toISOString() ?? null,
    image: live.image,
    source_sha256: isOwner ? live.source_sha256 : null,
    source_commit: isOwner ? live.source_commit : null,
    card_sha256: live.card === null ? null : (facts?.sha256 ?? null),
  };
}

function checkedAt({ review, proofs }: Checks): string | null {
  const times = [review?.ended_at, proofs.last_at].flatMap((at) => at?.getTime() ?? []);
  return times.length === 0 ? null : new Date(Math.max(...times)).toISOString();
}

function reviewOf({ review }: Checks): DossierOut['quality']['review'] {
  if (!review) return null;
  const { review_id, state, critical, warning, info, ended_at, created_at } = review;
  return { review_id, state, critical, warning, info, at: (ended_at ?? created_at).toISOString() };
}

const proofsOf = ({ proofs: { passed, failed, last_at } }: Checks): DossierOut['quality']['proofs'] => ({
  passed,
  failed,
  last_at: last_at?.toISOString() ?? null,
});

const trialOf = ({ trial }: Checks): DossierOut['quality']['trial'] =>
  trial && { dataset: trial.dataset, items: trial.items, passed: trial.passed, at: trial.created_at.toISOString() };

async function grantsOf(db: Knex, name: string): Promise<DossierOut['authority']['grants']> {
  const { rows } = await db.raw<{ rows: { active: number; revoked: number; of_newest: number }[] }>(
    `select (count(*) filter (where revoked_at is null and superseded_by is null and expires_at > now()))::int as active,
            (count(*) filter (where revoked_at is not null))::int as revoked, count(*)::int as of_newest
     from (select revoked_at, superseded_by, expires_at from grants where audience = :name order by issued_at desc, grant_id desc limit ${GRANTS}) newest`,
    { name },
  );
  return rows[0] ?? null;
}

type Calls = Pick<DossierOut['quality'], 'calls' | 'since' | 'failed' | 'cancelled' | 'p50_ms' | 'p95_ms'>;

async function newestCalls(db: Knex, agent_id: string): Promise<Calls> {
  const { rows } = await db.raw<{ rows: (Omit<Calls, 'since'> & { since: Date | null })[] }>(
    `select count(*)::int as calls, min(created_at) as since, (count(*) filter (where status = 'error'))::int as failed,
            (count(*) filter (where status = 'cancelled'))::int as cancelled,
            percentile_disc(0.5) within group (order by duration_ms) as p50_ms, percentile_disc(0.95) within group (order by duration_ms) as p95_ms
     from (
       select status, duration_ms, created_at from receipts
       where agent_id = :agent_id and source = 'platform' order by created_at desc, receipt_id desc limit ${CALLS}
     ) newest`,
    { agent_id },
  );
  const [found] = rows;
  if (!found) throw new Error('a statement without a row');
  return { ...found, since: found.since?.toISOString() ?? null };
}
