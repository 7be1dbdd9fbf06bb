// Published proofs: of public agents, run by their owners, signed. Whether one is published was said when it
// began, so that what is shown is not what went well.
import type { ProofStandingOut } from '#contract/public/public.ts';
import type { PublicProofDetailOut, PublicProofOut } from '#contract/quality/agent-proofs.ts';
import type { ProofStanding } from '#contract/states.ts';
import { agentColumns, listed } from '../../agents/agent/select.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { decodeCursor, type Page, toPage } from '../../kernel/page.ts';
import { presentPublicDetail, publicProof, type ProofView } from './present.ts';
import { nowOf, PROOF_COLUMNS, proofs, receiptOf } from './read.ts';
import { PROOF_DAY_MS } from './stale.ts';

/** Word for word the condition of the indexes agent_proofs_published and agent_proofs_feed. */
const PUBLISHED = 'p.published and p.token is not null';
const STANDS = 'p.withdrawn_at is null';

/** Newest first. */
export async function listPublishedProofs(
  ctx: Ctx,
  i: { limit: number; cursor?: string | undefined; agent?: string | undefined },
): Promise<Page<PublicProofOut>> {
  const query = published(ctx)
    .orderBy('p.proof_id', 'desc')
    .limit(i.limit + 1);
  if (i.agent !== undefined) void query.where({ 'a.name': i.agent });
  if (i.cursor !== undefined) void query.where('p.proof_id', '<', decodeCursor(i.cursor, ['string'])[0]);
  const now = await nowOf(ctx);
  return toPage(
    await query.select<ProofView[]>(...PROOF_COLUMNS),
    i.limit,
    (row) => publicProof(row, now),
    ({ proof_id }) => [proof_id],
  );
}

/** @throws NotFound proof_not_found: also of one that is another agent's, or is not published */
export async function getPublishedProof(ctx: Ctx, i: { name: string; proof_id: string }): Promise<PublicProofDetailOut> {
  const [row] = await published(ctx)
    .where({ 'a.name': i.name, 'p.proof_id': i.proof_id })
    .select<ProofView[]>(...PROOF_COLUMNS);
  if (!row) throw new NotFound('proof_not_found', `${i.name} has no published proof ${i.proof_id}`);
  return presentPublicDetail(row, await receiptOf(ctx.db, row), await nowOf(ctx));
}

/** @throws NotFound agent_not_found */
export async function proofStanding(ctx: Ctx, i: { name: string }): Promise<ProofStandingOut> {
  const agent = await ctx.db('agents').where({ name: i.name }).whereRaw(listed).first('agent_id', 'name', 'live_deploy_id');
  if (!agent) throw new NotFound('agent_not_found', `There is no public agent ${i.name}: list those you can see with "svc agents"`);
  const now = await nowOf(ctx);
  const { rows } = await ctx.db.raw<{ rows: (Counted & { newest_at: Date | null })[] }>(
    `with newest as (
       select distinct on (skill_name) status, withdrawn_at from agent_proofs p
       where agent_id = :agent and deploy_id = :live and ${PUBLISHED} order by skill_name, proof_id desc
     )
     select count(*) filter (where ${STANDS} and p.status = 'passed')::int as all_passed, count(*) filter (where ${STANDS} and p.status = 'failed')::int as all_failed,
            count(*) filter (where ${STANDS} and p.status = 'passed' and p.deploy_id = :live)::int as live_passed,
            count(*) filter (where ${STANDS} and p.status = 'failed' and p.deploy_id = :live)::int as live_failed,
            max(p.created_at) filter (where ${STANDS} and p.deploy_id = :live) as newest_at,
            -- of any skill, the newest of what runs now
            exists (select 1 from newest where withdrawn_at is null and status = 'failed') as failing,
            exists (select 1 from newest where withdrawn_at is not null) as withdrawn
     from agent_proofs p where p.agent_id = :agent and ${PUBLISHED}`,
    { agent: agent.agent_id, live: agent.live_deploy_id },
  );
  const [found] = rows;
  if (!found) throw new Error('a count has one row');
  const [latest] = await published(ctx)
    .where({ 'p.agent_id': agent.agent_id })
    .whereRaw(STANDS)
    .orderBy('p.proof_id', 'desc')
    .limit(1)
    .select<ProofView[]>(...PROOF_COLUMNS);
  return {
    agent: agent.name,
    standing: standingOf(found, found.newest_at, now),
    live: { passed: found.live_passed, failed: found.live_failed },
    all: { passed: found.all_passed, failed: found.all_failed },
    max_age_days: now.maxAgeDays,
    latest: latest ? presentPublicDetail(latest, await receiptOf(ctx.db, latest), now) : null,
  };
}

interface Counted {
  all_passed: number;
  all_failed: number;
  live_passed: number;
  live_failed: number;
  failing: boolean;
  /** Of some skill the newest was withdrawn. */
  withdrawn: boolean;
}

function standingOf(counted: Counted, newestAt: Date | null, { at, maxAgeDays }: { at: number; maxAgeDays: number }): ProofStanding {
  // What failed is not forgotten for being old, nor is that something was taken back.
  if (counted.failing) return 'failing';
  if (counted.withdrawn) return 'withdrawn';
  if (counted.all_passed + counted.all_failed === 0) return 'unproven';
  return newestAt === null || at - newestAt.getTime() > maxAgeDays * PROOF_DAY_MS ? 'stale' : 'proven';
}

function published({ db }: Ctx) {
  return proofs(db).whereRaw(PUBLISHED).whereRaw(agentColumns.listed);
}
