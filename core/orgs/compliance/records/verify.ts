// A receipt as it stands today: its signature holds, and its row says what was signed.
import type { Knex } from 'knex';
import type { ReceiptPayload } from '#contract/wire/receipt.ts';
import { receiptChecker, type SignedSummary } from '../../../evidence/receipt/check.ts';

/** What the row says of what was signed. */
export type SignedFacts = Pick<ReceiptPayload, 'receipt_id' | 'skill' | 'status' | 'seq' | 'kid'> & { agent: string; payload_sha256: string; ended_at: string };

/** Resolves with what is wrong; undefined: nothing. Keys are read once for all that it is asked of. */
export function verifier(db: Knex, organizationId: string): (token: string, facts: SignedFacts | null) => Promise<string | undefined> {
  const check = receiptChecker(db, organizationId);
  return async (token, facts) => {
    const { signed, problem } = await check(token);
    return signed === undefined || facts === null ? problem : differences(signed, facts);
  };
}

function differences(signed: SignedSummary, row: SignedFacts): string | undefined {
  const pairs: [string, unknown, unknown][] = [
    ['id', signed.receipt_id, row.receipt_id],
    ['agent', signed.agent, row.agent],
    ['skill', signed.skill, row.skill],
    ['status', signed.status, row.status],
    ['number', signed.seq, row.seq],
    ['key', signed.kid, row.kid],
    ['end', Date.parse(signed.ended_at), Date.parse(row.ended_at)],
    ['hash', signed.sha256, row.payload_sha256],
  ];
  const other = pairs.filter(([, a, b]) => a !== b).map(([what]) => what);
  return other.length === 0 ? undefined : `The stored row differs from what was signed: ${other.join(', ')}`;
}
