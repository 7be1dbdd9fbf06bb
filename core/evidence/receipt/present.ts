import type { z } from 'zod';
import type { ReceiptOut } from '#contract/evidence/agent-receipts.ts';
import type { ReceiptPayload } from '#contract/wire/receipt.ts';
import type { ReceiptsRow } from '#db/tables.ts';

type Receipt = z.infer<typeof ReceiptOut>;

export function presentReceipt(agentName: string, row: ReceiptsRow): Receipt {
  return {
    receipt_id: row.receipt_id,
    agent: agentName,
    source: row.source,
    skill: row.skill,
    status: row.status,
    kid: row.kid,
    token: row.token,
    payload: payloadOf(row.payload),
    payload_sha256: row.payload_sha256,
    created_at: row.created_at.toISOString(),
  };
}

// Safe: seal.ts and report.ts, the only writers, store payloads that passed the schema.
function payloadOf(payload: unknown): ReceiptPayload {
  return payload as ReceiptPayload;
}
