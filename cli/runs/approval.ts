// How a decision stands that several members of an organization take, in lines.
import type { ApprovalOut } from '#contract/pauses/approvals.ts';
import { plain } from '../lib/output.ts';

type Person = ApprovalOut['missing'][number];
const MOST_NAMED = 10;

export function approvalLines(approval: ApprovalOut): string[] {
  const { rule, approved, need, role, votes, missing, at_deadline: end, voted, may_vote, may_vote_for: others } = approval;
  const given = votes.map(
    ({ by, for: whose, decision, counts }) =>
      `${named(by)} ${decision === 'approve' ? 'approved' : 'denied'}${whose ? ` for ${named(whose)}` : ''}${counts ? '' : ' (does not count any more)'}`,
  );
  return [
    `rule ${rule}: ${approved} of ${need} have approved${role === null ? '' : `, of the role ${role}`}; at the end of its time it is ${end === 'deny' ? 'denied' : 'escalated'}`,
    ...given.map((line) => `  ${plain(line)}`),
    ...(missing.length === 0 ? [] : [`missing: ${plain(list(missing))}`]),
    ...(others.length === 0 ? [] : [`you may vote for: ${plain(list(others))}`]),
    ...(voted !== null ? [`you voted: ${voted}`] : may_vote ? [] : ['others are asked: you do not vote on this']),
  ];
}

/** After a vote that has not ended it. */
export function stillMissing({ approved, need, missing }: ApprovalOut): string {
  return `Your vote is taken: ${approved} of ${need} have approved${missing.length === 0 ? '' : `, missing: ${plain(list(missing))}`}.`;
}

function list(people: readonly Person[]): string {
  const more = people.length - MOST_NAMED;
  return people.slice(0, MOST_NAMED).map(named).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function named({ email, user_id }: Person): string {
  return email ?? user_id;
}
