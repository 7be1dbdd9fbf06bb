// One link of an agent's chain: what a call was, after the link before it, signed. Nothing is stored here.
import { encodeReceipt, receiptBytes, type ReceiptLeftOut, type ReceiptPayload } from '#contract/wire/receipt.ts';
import { sha256Hex } from '#contract/crypto/sha256.ts';
import type { CallPurpose } from '#contract/states.ts';
import type { Insert } from '#db/table-types.ts';
import type { ReceiptKeysRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { storable, storableText } from '../../kernel/storable.ts';
import { openPrivateKey } from './keys.ts';
import { signBytes } from './signature.ts';

export interface ReceiptFacts {
  agent: { id: string; name: string; version: string; image: string | null };
  deployId: string | null;
  jobId?: string | null;
  /** Ends with this receipt, and its credential with it. */
  runId?: string | null;
  /** What its caller said of its trace; not part of what is signed. */
  trace?: { trace_id: string | null; parent_span_id: string | null };
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
  denials?: ReceiptPayload['denials'];
  approvals?: ReceiptPayload['approvals'];
  decisions?: ReceiptPayload['decisions'];
  /** A count of 0 is not said. */
  leftOut?: Readonly<Partial<Record<keyof ReceiptLeftOut, number>>>;
  charge?: ReceiptPayload['charge'];
  /** The platform itself made the call; not part of what is signed. */
  purpose?: CallPurpose | null;
}

export interface SignedReceipt {
  receipt_id: string;
  /** base64url(payload).base64url(signature) */
  token: string;
  payload: ReceiptPayload;
  payload_sha256: string;
}

/** Where a chain ends, and the key that seals what comes next. */
export interface ChainEnd {
  key: Pick<ReceiptKeysRow, 'kid' | 'private_sealed'>;
  head: { seq: number; head_sha256: string | null };
}

/** All columns but those that the database fills. */
type ReceiptRow = Required<Omit<Insert<'receipts'>, 'created_at' | 'caller_gone' | 'payload'>> & { payload: ReceiptPayload };

export interface Link {
  sealed: SignedReceipt;
  row: ReceiptRow;
}

export async function linkAfter({ key, head }: ChainEnd, ctx: Ctx, facts: ReceiptFacts): Promise<Link> {
  const privateKey = await openPrivateKey(ctx.drivers.vault, key);
  const payload = payloadOf(facts, { receiptId: newId('rcp', ctx.clock()), kid: key.kid, seq: head.seq + 1, previous: head.head_sha256 });
  const bytes = receiptBytes(payload);
  const receipt = {
    receipt_id: payload.receipt_id,
    token: encodeReceipt(bytes, signBytes(bytes, privateKey)),
    payload,
    payload_sha256: sha256Hex(bytes),
  };
  const { skill, status, caller, seq, kid, started_at, ended_at, duration_ms } = payload;
  const row = {
    ...receipt,
    agent_id: facts.agent.id,
    seq,
    source: 'platform' as const,
    kid,
    skill,
    status,
    caller_kind: caller.kind,
    caller_id: caller.id,
    caller_user_id: facts.caller.userId,
    deploy_id: facts.deployId,
    job_id: facts.jobId ?? null,
    run_id: facts.runId ?? null,
    trace_id: facts.trace?.trace_id ?? null,
    parent_span_id: facts.trace?.parent_span_id ?? null,
    purpose: facts.purpose ?? null,
    started_at,
    ended_at,
    duration_ms,
  };
  return { sealed: receipt, row };
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
    // Absent where nothing was refused: readers of older receipts read these too.
    ...(facts.denials && facts.denials.length > 0 && { denials: facts.denials }),
    ...(facts.approvals && facts.approvals.length > 0 && { approvals: facts.approvals }),
    ...(facts.decisions && facts.decisions.length > 0 && { decisions: facts.decisions }),
    ...leftOutOf(facts),
    ...(facts.charge && { charge: facts.charge }),
    status: facts.status,
    // An agent's own word, so of any length.
    error_code: facts.errorCode === null ? null : storableText(facts.errorCode.slice(0, 128)),
    started_at: new Date(facts.startedAt).toISOString(),
    ended_at: new Date(endedAt).toISOString(),
    duration_ms: durationMs(facts),
    runtime: facts.runtime,
    seq: link.seq,
    previous_sha256: link.previous,
  };
  return asPayload(storable(payload));
}

function leftOutOf({ leftOut = {} }: { leftOut?: ReceiptFacts['leftOut'] | undefined }): Pick<ReceiptPayload, 'left_out'> {
  const counts = Object.entries(leftOut).filter(([, count]) => count > 0);
  return counts.length === 0 ? {} : { left_out: Object.fromEntries(counts) };
}

/** Whole milliseconds, as the receipt has them. */
export function durationMs({ startedAt, endedAt }: Pick<ReceiptFacts, 'startedAt' | 'endedAt'>): number {
  return Math.round(Math.max(startedAt, endedAt) - startedAt);
}

// Safe: storable() keeps the shape, and receiptBytes() parses it before anything is signed.
function asPayload(value: unknown): ReceiptPayload {
  return value as ReceiptPayload;
}
