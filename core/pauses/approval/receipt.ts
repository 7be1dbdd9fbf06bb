// What several members decided in a run, as its receipt and the records of its organization have it.
import type { Knex } from 'knex';
import { MAX_RECEIPT_APPROVALS, type ReceiptPayload } from '#contract/wire/receipt.ts';
import type { ApprovalVotesRow } from '#db/tables.ts';
import { upTo } from '../../kernel/up-to.ts';
import { approvalOf } from './model.ts';

type Approved = NonNullable<ReceiptPayload['approvals']>[number];

/** The first of them, and how many more there are. */
export async function approvalsOfRun(tx: Knex, runId: string): Promise<{ approvals: Approved[]; more: number }> {
  const decided = tx('waits').where({ run_id: runId }).whereIn('state', ['approved', 'denied']).whereNotNull('approval').orderBy(['created_at', 'wait_id']);
  const { rows: waits, more } = await upTo(MAX_RECEIPT_APPROVALS, decided);
  const votes = await countedVotes(
    tx,
    waits.map(({ wait_id }) => wait_id),
  );
  const approvals = waits.flatMap((row): Approved[] => {
    const approval = approvalOf(row);
    if (!approval || (row.state !== 'approved' && row.state !== 'denied')) return [];
    const { rule, policy_version, policy_sha256 } = approval;
    return [{ wait_id: row.wait_id, kind: row.kind, state: row.state, rule, policy_version, policy_sha256, votes: votes.get(row.wait_id) ?? [] }];
  });
  return { approvals, more };
}

/** By wait. */
export async function countedVotes(db: Knex, waitIds: readonly string[]): Promise<Map<string, Approved['votes']>> {
  const rows =
    waitIds.length === 0
      ? []
      : await db('approval_votes')
          .whereIn('wait_id', [...waitIds])
          .where({ counted: true })
          .orderBy(['at', 'vote_id']);
  return new Map([...Map.groupBy(rows, ({ wait_id }) => wait_id)].map(([id, votes]) => [id, votes.map(shown)]));
}

/** A person who was purged leads to nobody. */
function shown({ by_id, for_id, decision }: ApprovalVotesRow): Approved['votes'][number] {
  return { by: by_id ?? 'purged', for: for_id === by_id ? null : (for_id ?? 'purged'), decision };
}
