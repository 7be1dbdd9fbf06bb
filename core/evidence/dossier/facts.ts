// What the dossier decides on, read from the records of checks. Tables of proofs and findings may not be
// there yet: then there are none.
import type { Knex } from 'knex';
import type { ReviewState } from '#contract/states.ts';
import { hasTable } from '../collect/source.ts';
import type { BrokenClaims } from './claims.ts';
import type { TrustFacts } from './trust.ts';

export interface Checks {
  review: { review_id: string; state: ReviewState; critical: number; warning: number; info: number; created_at: Date; ended_at: Date | null } | null;
  proofs: {
    passed: number;
    failed: number;
    last_at: Date | null;
    last_passed: boolean | null;
    last_id: string | null;
    proved_before: boolean;
    elsewhere: boolean;
  };
  findings: { critical_at: Date | null; critical_id: string | null; warned_at: Date | null; warned_id: string | null };
  trial: { dataset: string; items: number; passed: number; created_at: Date } | null;
  repair: { repair_id: string; created_at: Date } | null;
  reviewed_elsewhere: boolean;
}

export async function readChecks(db: Knex, of: { agent_id: string; live: string | null }): Promise<Checks> {
  const [withProofs, withFindings] = await Promise.all([hasTable(db, 'agent_proofs'), hasTable(db, 'agent_findings')]);
  const answered = withFindings
    ? `and not exists (select 1 from agent_findings a where a.agent_id = c.agent_id and a.hash = f->>'hash' and a.state = 'answered')`
    : '';
  const { rows } = await db.raw<{
    rows: [
      { of_review: OfReview | null; proofs: Proofs | null; findings: Findings | null; trial: Trial | null; repair: Repair | null; reviewed_elsewhere: boolean },
    ];
  }>(
    `select
       (select to_jsonb(r) from (
          select c.review_id, c.state, c.critical_count, c.warning_count, c.info_count, c.created_at, c.ended_at,
                 (select count(*) from jsonb_array_elements(c.findings) f where f->>'severity' = 'critical' and f->>'accepted' is null ${answered})::int as unanswered
          from review_runs c where c.deploy_id = :live and c.agent_id = :agent_id order by c.created_at desc limit 1
        ) r) as of_review,
       ${withProofs ? PROOFS : 'null::jsonb'} as proofs,
       ${withFindings ? FINDINGS : 'null::jsonb'} as findings,
       (select to_jsonb(t) from (
          select e.dataset, e.created_at, (select count(*) from evaluation_results r where r.evaluation_id = e.evaluation_id)::int as items,
                 (select count(*) from evaluation_results r where r.evaluation_id = e.evaluation_id and r.passed)::int as passed
          from evaluations e where e.agent_id = :agent_id and e.deploy_id = :live and e.state = 'succeeded' order by e.evaluation_id desc limit 1
        ) t) as trial,
       (select to_jsonb(t) from (
          select repair_id, state, created_at from agent_repairs where agent_id = :agent_id order by created_at desc, repair_id desc limit 1
        ) t where t.state = 'needs_human') as repair,
       exists (select 1 from review_runs where agent_id = :agent_id and deploy_id <> :live and state = any (array['passed', 'warning', 'failed'])) as reviewed_elsewhere`,
    { agent_id: of.agent_id, live: of.live ?? '' },
  );
  return checksOf(rows[0]);
}

/**
 * A withdrawn one counts where it failed: taking it back makes nothing better. What anybody can check:
 * published by its owner before it was known how it would end. One that passed counts when it is sealed.
 */
const counts = (p: string): string =>
  `${p}.agent_id = :agent_id and ${p}.run_by = 'owner' and ${p}.published and (${p}.withdrawn_at is null or ${p}.status = 'failed') and (${p}.token is not null or (${p}.status = 'failed' and coalesce(${p}.error->>'code', '') <> 'cancelled'))`;
const PROOFS = `(select to_jsonb(t) from (
  select (count(*) filter (where p.status = 'passed'))::int as passed, (count(*) filter (where p.status = 'failed'))::int as failed,
         exists (select 1 from agent_proofs e where ${counts('e')} and e.deploy_id <> :live) as elsewhere,
         (select jsonb_build_object('id', n.proof_id, 'passed', n.status = 'passed', 'at', coalesce(n.ended_at, n.created_at), 'before', exists (
            select 1 from agent_proofs o where ${counts('o')} and o.status = 'passed' and (o.created_at, o.proof_id) < (n.created_at, n.proof_id)
          )) from agent_proofs n where ${counts('n')} and n.deploy_id = :live order by n.created_at desc, n.proof_id desc limit 1) as last
  from agent_proofs p where ${counts('p')} and p.deploy_id = :live
) t)`;

const believed = `f.agent_id = :agent_id and f.state = 'open' and f.confirmed`;
const newest = (severity: string): string =>
  `(select jsonb_build_object('id', f.finding_id, 'at', f.created_at) from agent_findings f where ${believed} and f.severity = '${severity}' order by f.created_at desc, f.finding_id desc limit 1)`;
const FINDINGS = `jsonb_build_object('critical', ${newest('critical')}, 'warning', ${newest('warning')})`;

interface Mark {
  id: string;
  at: string;
}
type OfReview = {
  review_id: string;
  state: ReviewState;
  critical_count: number;
  warning_count: number;
  info_count: number;
  created_at: string;
  ended_at: string | null;
  unanswered: number;
};
type Proofs = { passed: number; failed: number; elsewhere: boolean | null; last: (Mark & { passed: boolean; before: boolean }) | null };
type Findings = { critical: Mark | null; warning: Mark | null };
type Trial = { dataset: string; created_at: string; items: number; passed: number };
type Repair = { repair_id: string; created_at: string };

const dateOf = (at: string | null | undefined): Date | null => (at === null || at === undefined ? null : new Date(at));

function checksOf({
  of_review: review,
  proofs,
  findings,
  trial,
  repair,
  reviewed_elsewhere,
}: {
  of_review: OfReview | null;
  proofs: Proofs | null;
  findings: Findings | null;
  trial: Trial | null;
  repair: Repair | null;
  reviewed_elsewhere: boolean;
}): Checks {
  // The review of the live version counts until its critical findings are answered, also where findings are
  // not kept as records.
  const ofReview = review && review.unanswered > 0 ? { id: review.review_id, at: review.ended_at ?? review.created_at } : null;
  const critical = findings?.critical ?? null;
  const [later] = [critical && { id: `finding:${critical.id}`, at: critical.at }, ofReview && { id: `review:${ofReview.id}`, at: ofReview.at }]
    .filter((one) => one !== null)
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  return {
    review: review && {
      review_id: review.review_id,
      state: review.state,
      critical: review.critical_count,
      warning: review.warning_count,
      info: review.info_count,
      created_at: new Date(review.created_at),
      ended_at: dateOf(review.ended_at),
    },
    proofs: {
      passed: proofs?.passed ?? 0,
      failed: proofs?.failed ?? 0,
      last_at: dateOf(proofs?.last?.at),
      last_passed: proofs?.last?.passed ?? null,
      last_id: proofs?.last ? `proof:${proofs.last.id}` : null,
      proved_before: proofs?.last?.before ?? false,
      elsewhere: proofs?.elsewhere ?? false,
    },
    findings: {
      critical_at: dateOf(later?.at),
      critical_id: later?.id ?? null,
      warned_at: dateOf(findings?.warning?.at),
      warned_id: findings?.warning ? `finding:${findings.warning.id}` : null,
    },
    trial: trial && { ...trial, created_at: new Date(trial.created_at) },
    repair: repair && { repair_id: repair.repair_id, created_at: new Date(repair.created_at) },
    reviewed_elsewhere,
  };
}

export function trustFacts(checks: Checks, broken: BrokenClaims, live: Date | null, { now, proofDays }: Pick<TrustFacts, 'now' | 'proofDays'>): TrustFacts {
  const { review, proofs, findings } = checks;
  const at = (date: Date | null): number | null => date?.getTime() ?? null;
  return {
    now,
    proofDays,
    live: at(live),
    review: review?.ended_at && isEnded(review.state) ? { state: review.state, at: review.ended_at.getTime() } : null,
    critical: at(findings.critical_at),
    warned: at(findings.warned_at),
    brokeClaim: at(broken.read_only?.at ?? broken.not_destructive?.at ?? null),
    proof: proofs.last_at && proofs.last_passed !== null ? { passed: proofs.last_passed, at: proofs.last_at.getTime() } : null,
    provedBefore: proofs.proved_before,
    checkedBefore: checks.reviewed_elsewhere || proofs.elsewhere,
  };
}

function isEnded(state: ReviewState): state is Exclude<ReviewState, 'queued' | 'running'> {
  return state !== 'queued' && state !== 'running';
}
