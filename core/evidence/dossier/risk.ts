// What is open of an agent. Each line says what to look at; none of them goes by an argument of the agent's.
import type { DossierOut } from '#contract/evidence/agent-evidence.ts';
import type { BrokenClaim, BrokenClaims } from './claims.ts';
import type { Checks } from './facts.ts';

type Item = DossierOut['risk']['items'][number];

export interface Standing {
  live: boolean;
  unwell_since: Date | null;
  isOwner: boolean;
}

/** A review that gave no verdict is none. */
const VERDICTS: readonly string[] = ['passed', 'warning', 'failed'];

export function risksOf({ review, proofs, findings, repair }: Checks, broken: BrokenClaims, { live, unwell_since, isOwner }: Standing): Item[] {
  const checked = (review !== null && VERDICTS.includes(review.state)) || proofs.last_at !== null;
  const ref = (id: string | null): string | null => (isOwner ? id : null);
  const at = (date: Date | null): string | null => date?.toISOString() ?? null;
  const claim = (code: string, says: string, { skill, receipt_id, at: when }: BrokenClaim): Item =>
    item('warning', code, `The skill ${skill} ${says}.`, at(when), ref(`receipt:${receipt_id}`));
  return [
    findings.critical_at && item('critical', 'critical_unanswered', 'A critical finding has no answer.', at(findings.critical_at), ref(findings.critical_id)),
    live && !checked && item('warning', 'live_unchecked', 'The live version has neither a review nor a proof.', null, null),
    proofs.last_passed === false && item('warning', 'proof_failed', 'The newest proof of the live version failed.', at(proofs.last_at), proofs.last_id),
    review?.state === 'errored' &&
      item('warning', 'review_errored', 'The review of the live version gave no verdict.', at(review.ended_at), ref(`review:${review.review_id}`)),
    review?.state === 'failed' &&
      item('warning', 'review_failed', 'The review of the live version failed.', at(review.ended_at), ref(`review:${review.review_id}`)),
    findings.warned_at && item('warning', 'warning_unanswered', 'A warning has no answer.', at(findings.warned_at), ref(findings.warned_id)),
    broken.read_only && claim('read_only_changed_files', 'declares that it changes nothing, and changed files', broken.read_only),
    broken.not_destructive && claim('not_destructive_deleted_files', 'declares that it destroys nothing, and deleted files', broken.not_destructive),
    unwell_since && item('warning', 'out_of_service', 'The agent took itself out of service.', at(unwell_since), null),
    isOwner && repair && item('warning', 'repair_needs_human', 'The newest repair needs a person.', at(repair.created_at), `mutation:${repair.repair_id}`),
  ].filter((one): one is Item => typeof one === 'object' && one !== null);
}

function item(severity: Item['severity'], code: string, message: string, at: string | null, ref: string | null): Item {
  return { severity, code, message, at, ref };
}
