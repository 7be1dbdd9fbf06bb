// Receipts of an agent's calls: signed, chained per agent, verifiable offline with the published key.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentParams, Instant, nextCursor, pageQuery } from '../shared.ts';
import { ReceiptPayload } from '../wire/receipt.ts';
import { RECEIPT_SOURCES, RECEIPT_STATUSES } from '../states.ts';

export const ReceiptOut = z
  .strictObject({
    receipt_id: z.string(),
    agent: z.string(),
    source: z.enum(RECEIPT_SOURCES).meta({ description: 'Sealed by the platform as it made the call, or handed in later.' }),
    skill: z.string(),
    status: z.enum(RECEIPT_STATUSES),
    kid: z.string(),
    token: z.string().meta({ description: 'base64url(payload).base64url(signature), Ed25519.' }),
    payload: ReceiptPayload,
    payload_sha256: z.string().meta({ description: 'What the next receipt of the chain carries as previous_sha256.' }),
    created_at: Instant,
  })
  .meta({ id: 'ReceiptOut' });

const ReceiptListOut = z.strictObject({ items: z.array(ReceiptOut), next_cursor: nextCursor }).meta({ id: 'ReceiptListOut' });
const ReceiptIn = z.strictObject({ token: z.string().min(1).max(262_144) }).meta({ id: 'ReceiptIn' });

export const agentReceipts = group({
  list: {
    at: 'GET /v1/agents/{name}/receipts',
    summary: 'Receipts of an agent, newest first: all of them for its owner, their own calls for others',
    scope: 'authenticated',
    params: AgentParams,
    query: pageQuery(20, 100),
    out: ReceiptListOut,
    errors: [400, 401, 403, 404],
  },
  report: {
    at: 'POST /v1/agents/{name}/receipts',
    summary: 'Hand in a receipt that the platform sealed elsewhere; it is verified first. The same receipt again answers with what is stored.',
    scope: 'authenticated',
    params: AgentParams,
    body: ReceiptIn,
    out: ReceiptOut,
    status: 201,
    errors: [400, 401, 403, 404, 409],
  },
  get: {
    at: 'GET /v1/agents/{name}/receipts/{receipt_id}',
    summary: 'One receipt, for the owner of the agent and for the caller',
    scope: 'authenticated',
    params: AgentParams.extend({ receipt_id: z.string().regex(/^rcp_[0-9a-f-]{36}$/, 'is not a receipt id') }),
    out: ReceiptOut,
    errors: [401, 403, 404],
  },
});
