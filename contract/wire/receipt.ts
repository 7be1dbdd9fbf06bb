// Receipts: what a call was, sealed. Token = base64url(payload) "." base64url(signature); the payload is
// canonical JSON, the signature Ed25519 over its bytes.
import { z } from 'zod';
import { canonicalJson } from './canonical.ts';
import { Sha256Hex, Timestamp } from './names.ts';
import { decodeSigned, encodeSigned, type Signed, type SignedKind, verifySigned, type VerifySignature } from './signed.ts';
import { DECIDED_STATES, DECISIONS, POLICY_ACTIONS, DENIAL_OUTCOMES, RECEIPT_STATUSES, WAIT_KINDS, WAIT_STATES } from '../states.ts';

export const MAX_RECEIPT_DENIALS = 100;
export const MAX_RECEIPT_APPROVALS = 100;
export const MAX_RECEIPT_DECISIONS = 500;

const name = z.string().min(1).max(256);

export const ReceiptFile = z.strictObject({
  path: z.string().min(1).max(4096),
  operation: z.enum(['read', 'write', 'delete']),
  sha256: Sha256Hex.nullable().meta({ description: 'Hash of the content read or written; null when deleted.' }),
  size_bytes: z.int().min(0).nullable(),
});

const ReceiptToolCall = z.strictObject({
  name,
  status: z.enum(RECEIPT_STATUSES),
  input_sha256: Sha256Hex.nullable(),
  output_sha256: Sha256Hex.nullable(),
  duration_ms: z.int().min(0),
});

/** A call this call made to another agent. */
const ReceiptHandoff = z.strictObject({
  agent: name,
  skill: name,
  grant_id: name.nullable(),
  receipt_id: name.nullable(),
  status: z.enum(RECEIPT_STATUSES),
});

/** What the policy of an account refused the call, or asked a person about. */
const ReceiptDenial = z.strictObject({
  action: z.enum(POLICY_ACTIONS),
  outcome: z.enum(DENIAL_OUTCOMES),
  rule: name.meta({ description: 'Member of the policy, or the rule that decided.' }),
  resource: z.string().max(512).meta({ description: 'Agent, path, host or model.' }),
  count: z.int().min(1).meta({ description: 'How often it was tried.' }),
  decision_id: name.nullable(),
  policy_sha256: Sha256Hex.meta({ description: 'Hash of the policy at that time.' }),
});

/** What several members of an organization decided for the call, and by which rule. */
const ReceiptApproval = z.strictObject({
  wait_id: name,
  kind: name,
  state: z.enum(DECIDED_STATES),
  rule: name,
  policy_version: z.int().min(1),
  policy_sha256: Sha256Hex.meta({ description: 'Hash of the rules when the wait began.' }),
  votes: z
    .array(
      z.strictObject({
        by: name.meta({ description: 'user_id.' }),
        for: name.nullable().meta({ description: 'The person whose delegate they voted as; null: their own vote.' }),
        decision: z.enum(DECISIONS),
      }),
    )
    .max(64)
    .meta({ description: 'The votes that counted. Empty: the deadline decided.' }),
});

/** What the call waited for, and what a person, or a rule, decided. */
const ReceiptDecision = z.strictObject({
  wait_id: name,
  kind: z.enum(WAIT_KINDS),
  state: z.enum(WAIT_STATES),
  arguments_sha256: Sha256Hex.nullable().meta({ description: 'Hash of the arguments that were shown for approval; null where it was about no call.' }),
  by: name.nullable().optional().meta({ description: 'user_id of who answered or decided; null: no person. Absent in receipts of older platforms.' }),
});

const more = z.int().min(1).optional();
/** How many more there were than a receipt lists. */
const ReceiptLeftOut = z
  .strictObject({ grants: more, files_read: more, files_changed: more, handoffs: more, denials: more, approvals: more, decisions: more })
  .refine((counts) => Object.keys(counts).length > 0, 'without a count there is nothing to say');
export type ReceiptLeftOut = z.infer<typeof ReceiptLeftOut>;

/** Of a charged call; `tokens` and `artifacts` are counted where they are charged. */
export const ChargedUnits = z
  .strictObject({ calls: z.int().min(0), seconds: z.int().min(0), tokens: z.int().min(0), artifacts: z.int().min(0) })
  .meta({ id: 'ChargedUnits' });
export type ChargedUnits = z.infer<typeof ChargedUnits>;

/** What the call cost who paid for it. */
export const ReceiptCharge = z.strictObject({
  charge_id: name,
  price_id: name.meta({ description: 'The version of the price that was valid when the call began.' }),
  free: z.boolean().meta({ description: 'A call of the free trial.' }),
  amount_micros: z.int().min(0).meta({ description: 'Micro-credits; 0 where the call did not go well.' }),
  max_micros: z.int().min(0).meta({ description: 'The most that it could cost.' }),
  units: ChargedUnits,
});
export type ReceiptCharge = z.infer<typeof ReceiptCharge>;

export const ReceiptPayload = z
  .strictObject({
    /** Says what the signature is over, so that it cannot pass for another kind of document. */
    type: z.literal('svc.receipt.v1'),
    receipt_id: name,
    kid: name.meta({ description: 'The published key that verifies the signature.' }),
    agent: z.strictObject({ name, version: name, deployment_id: name.nullable(), image: name.nullable() }),
    caller: z.strictObject({ kind: name, id: name.nullable() }),
    skill: name,
    input_sha256: Sha256Hex.meta({ description: 'Hash of the canonical JSON of the arguments.' }),
    output_sha256: Sha256Hex.nullable().meta({ description: 'Hash of the canonical JSON of the result; null without one.' }),
    grants: z.array(name).meta({ description: 'Ids of the grants the call ran under: the one that came with it, then those that it was given while it ran.' }),
    files: z
      .array(ReceiptFile)
      .meta({ description: 'Read, then changed, by path; of each the first 1,000 at most, and as many as have 256 KiB of paths together.' }),
    tool_calls: z.array(ReceiptToolCall),
    handoffs: z.array(ReceiptHandoff),
    denials: z.array(ReceiptDenial).min(1).max(MAX_RECEIPT_DENIALS).optional().meta({ description: 'Absent: nothing was refused by a policy.' }),
    approvals: z.array(ReceiptApproval).min(1).max(MAX_RECEIPT_APPROVALS).optional().meta({ description: 'Absent: no rule of an organization asked several.' }),
    decisions: z.array(ReceiptDecision).min(1).max(MAX_RECEIPT_DECISIONS).optional().meta({ description: 'Absent: the call waited for nothing.' }),
    left_out: ReceiptLeftOut.optional().meta({
      description: 'How many more there were of what is listed up to a bound. Absent: all of it is listed; receipts of older platforms did not say.',
    }),
    charge: ReceiptCharge.optional().meta({ description: 'Absent: the call had no price, or its owner made it.' }),
    status: z.enum(RECEIPT_STATUSES),
    error_code: z.string().max(128).nullable(),
    started_at: Timestamp,
    ended_at: Timestamp,
    duration_ms: z.int().min(0),
    runtime: name.meta({ description: 'Digest of the runtime image the agent ran on.' }),
    seq: z.int().min(1).meta({ description: "Place in the agent's chain, from 1, without gaps." }),
    previous_sha256: Sha256Hex.nullable().meta({ description: "Hash of the previous receipt's payload; null for the first." }),
  })
  .meta({ id: 'ReceiptPayload' });
export type ReceiptPayload = z.infer<typeof ReceiptPayload>;

export class ReceiptInvalid extends Error {
  readonly code = 'receipt_invalid';
  constructor(message: string) {
    super(message);
    this.name = 'ReceiptInvalid';
  }
}

/** The bytes that are signed and hashed. @throws z.ZodError when a field is missing or wrong. */
export function receiptBytes(payload: ReceiptPayload): Uint8Array {
  return new TextEncoder().encode(canonicalJson(ReceiptPayload.parse(payload)));
}

const RECEIPT: SignedKind<ReceiptPayload> = { schema: ReceiptPayload, name: 'receipt', Invalid: ReceiptInvalid };

export function encodeReceipt(payload: Uint8Array, signature: Uint8Array): string {
  return encodeSigned(payload, signature);
}

export type DecodedReceipt = Signed<ReceiptPayload>;

/** Reads a token without checking its signature. @throws ReceiptInvalid */
export function decodeReceipt(token: string): DecodedReceipt {
  return decodeSigned(token, RECEIPT);
}

/** The payload when the signature holds. @throws ReceiptInvalid otherwise */
export function verifyReceipt(token: string, publicKey: Uint8Array, verify: VerifySignature): Promise<ReceiptPayload> {
  return verifySigned(token, publicKey, verify, RECEIPT);
}
