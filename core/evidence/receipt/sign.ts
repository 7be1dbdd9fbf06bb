// Seals what a call was: the next link of the agent's chain, signed and stored in the caller's transaction.
import type { Knex } from 'knex';
import { encodeReceipt, receiptBytes, type ReceiptPayload } from '#contract/wire/receipt.ts';
import { sha256Hex } from '#contract/crypto/sha256.ts';
import type { ReceiptKeysRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { storable, storableText } from '../../kernel/storable.ts';
import { keysFor, openPrivateKey, sealingKey } from './keys.ts';
import { signBytes } from './signature.ts';

export interface ReceiptFacts {
  agent: { id: string; name: string; version: string; image: string | null };
  deployId: string | null;
  jobId?: string | null;
  /** Ends with this receipt, and its credential with it. */
  runId?: string | null;
  /** Who called; `userId` when that is a user of ours, who may then see the receipt. */
  caller: { kind: string; id: string | null; userId: string | null };
  skill: string;
  /** SHA-256, hexadecimal, of the canonical JSON of arguments and result. */
  inputSha256: string;
  outputSha256: string | null;
  status: ReceiptPayload['status'];
  errorCode: string | null;
  /** Milliseconds since the epoch. */
  startedAt: number;
  endedAt: number;
  /** Digest of the runtime image. */
  runtime: string;
  grants?: ReceiptPayload['grants'];
  files?: ReceiptPayload['files'];
  toolCalls?: ReceiptPayload['tool_calls'];
  handoffs?: ReceiptPayload['handoffs'];
}

export interface SealedReceipt {
  receipt_id: string;
  /** base64url(payload).base64url(signature) */
  token: string;
  payload: ReceiptPayload;
  payload_sha256: string;
}

/**
 * Appends one receipt. Holds the agent's chain until the transaction ends, so call it late in a short one; other agents' chains
 * are not touched. Rolled back, it leaves no gap.
 */
export async function sealReceipt(tx: Knex.Transaction, ctx: Ctx, facts: ReceiptFacts): Promise<SealedReceipt> {
  const { key, head } = await lockChain(tx, ctx, facts);
  const privateKey = await openPrivateKey(ctx.drivers.vault, key);
  const receiptId = newId('rcp', ctx.clock());
  const payload = payloadOf(facts, { receiptId, kid: key.kid, seq: head.seq + 1, previous: head.head_sha256 });
  const bytes = receiptBytes(payload);
  const sha256 = sha256Hex(bytes);
  const token = encodeReceipt(bytes, signBytes(bytes, privateKey));
  const receipt = tx('receipts').insert({
    receipt_id: receiptId,
    agent_id: facts.agent.id,
    seq: payload.seq,
    source: 'platform',
    kid: key.kid,
    token,
    payload: JSON.stringify(payload),
    payload_sha256: sha256,
    skill: payload.skill,
    status: payload.status,
    caller_kind: payload.caller.kind,
    caller_id: payload.caller.id,
    caller_user_id: facts.caller.userId,
    deploy_id: facts.deployId,
    job_id: facts.jobId ?? null,
    run_id: facts.runId ?? null,
    started_at: payload.started_at,
    ended_at: payload.ended_at,
    duration_ms: payload.duration_ms,
  });
  const chain = tx('receipt_chains').where({ agent_id: facts.agent.id }).update({ seq: payload.seq, head_sha256: sha256 });
  // One statement: the chain is held for as few round trips as can be.
  await tx('agents')
    .with('receipt', receipt)
    .with('chain', chain)
    .where({ agent_id: facts.agent.id })
    .update({ call_count: tx.raw('call_count + 1') })
    .options({ name: 'seal_receipt' });
  return { receipt_id: receiptId, token, payload, payload_sha256: sha256 };
}

interface Link {
  key: Pick<ReceiptKeysRow, 'kid' | 'private_sealed'>;
  head: { seq: number; head_sha256: string | null };
}

/** The key that seals, and the chain's head under its row lock; the chain starts here when it has not yet. Without a key the chain is not locked. */
async function lockChain(tx: Knex.Transaction, ctx: Ctx, { agent, endedAt }: Pick<ReceiptFacts, 'agent' | 'endedAt'>): Promise<Link> {
  const found = await lockWithKey(tx, agent.id, endedAt);
  if (found) return found;
  await sealingKey(tx, ctx, endedAt);
  const made = await lockWithKey(tx, agent.id, endedAt);
  if (!made) throw new Error(`no receipt chain for ${agent.id}`);
  return made;
}

/** Undefined: no key holds `endedAt`. One statement, for every call waits for it. */
async function lockWithKey(tx: Knex.Transaction, agentId: string, endedAt: number): Promise<Link | undefined> {
  const key = keysFor(tx, endedAt).select('kid', 'private_sealed');
  const { rows } = await tx
    .raw<{ rows: (Link['key'] & Link['head'])[] }>(
      `with key as (?), head as (
       insert into receipt_chains (agent_id) select ? from key on conflict (agent_id) do update set agent_id = excluded.agent_id returning seq, head_sha256
     )
     select kid, private_sealed, seq, head_sha256 from key, head`,
      [key, agentId],
    )
    .options({ name: 'lock_receipt_chain' });
  const [row] = rows;
  return row && { key: row, head: row };
}

function payloadOf(facts: ReceiptFacts, link: { receiptId: string; kid: string; seq: number; previous: string | null }): ReceiptPayload {
  const endedAt = Math.max(facts.startedAt, facts.endedAt);
  const { agent, caller } = facts;
  const payload: ReceiptPayload = {
    type: 'svc.receipt.v1',
    receipt_id: link.receiptId,
    kid: link.kid,
    agent: { name: agent.name, version: agent.version, deployment_id: facts.deployId, image: agent.image },
    caller: { kind: caller.kind, id: caller.id },
    skill: facts.skill,
    input_sha256: facts.inputSha256,
    output_sha256: facts.outputSha256,
    grants: facts.grants ?? [],
    files: facts.files ?? [],
    tool_calls: facts.toolCalls ?? [],
    handoffs: facts.handoffs ?? [],
    status: facts.status,
    // An agent's own word, so of any length.
    error_code: facts.errorCode === null ? null : storableText(facts.errorCode.slice(0, 128)),
    started_at: new Date(facts.startedAt).toISOString(),
    ended_at: new Date(endedAt).toISOString(),
    duration_ms: Math.round(endedAt - facts.startedAt),
    runtime: facts.runtime,
    seq: link.seq,
    previous_sha256: link.previous,
  };
  return asPayload(storable(payload));
}

// Safe: storable() keeps the shape, and receiptBytes() parses it before anything is signed.
function asPayload(value: unknown): ReceiptPayload {
  return value as ReceiptPayload;
}
