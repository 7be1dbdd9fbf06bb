// What policies refused a run, as its receipt has it.
import type { Knex } from 'knex';
import { MAX_RECEIPT_DENIALS, type ReceiptPayload } from '#contract/wire/receipt.ts';

export async function denialsOfRun(tx: Knex, runId: string): Promise<NonNullable<ReceiptPayload['denials']>> {
  return tx('policy_denials')
    .where({ run_id: runId })
    .orderBy(['created_at', 'denial_id'])
    .limit(MAX_RECEIPT_DENIALS)
    .select('action', 'outcome', 'rule', 'resource', 'count', 'decision_id', 'policy_sha256');
}
