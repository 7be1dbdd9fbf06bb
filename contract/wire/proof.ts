// Proofs: a skill was performed by the platform on one case, and what of its outcome was checked. Signed as
// receipts are, with the same keys; the type in the payload keeps one from passing for the other.
import { z } from 'zod';
import { canonicalJson } from './canonical.ts';
import { Sha256Hex, Timestamp } from './names.ts';
import { decodeSigned, type Signed, type SignedKind } from './signed.ts';
import { PROOF_CASES, PROOF_RUNNERS, PROOF_VERDICTS } from '../states.ts';

const name = z.string().min(1).max(256);
const count = z.int().min(0);

/**
 * What was checked of one outcome. Those that the runner stated stand with what they say, so that the verdict
 * can be checked again.
 */
export const ProofCheck = z
  .strictObject({
    name: z.string().min(1).max(64),
    passed: z.boolean(),
    reason: z.string().max(500).nullable().meta({ description: 'Why it did not pass.' }),
    property: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: 'The property that the runner stated; null: the platform checks it of every proof.' }),
  })
  .meta({ id: 'ProofCheck' });
export type ProofCheck = z.infer<typeof ProofCheck>;

export const ProofPayload = z
  .strictObject({
    /** Says what the signature is over, so that it cannot pass for another kind of document. */
    type: z.literal('svc.proof.v1'),
    proof_id: name,
    kid: name.meta({ description: 'The published key that verifies the signature.' }),
    agent: z.strictObject({ name, version: name, deployment_id: name, image: name.nullable() }),
    head_sha: z.string().max(128).nullable().meta({ description: 'Commit of the source that the deployment was made from.' }),
    card_sha256: Sha256Hex.meta({ description: "Hash of the canonical JSON of the deployment's card." }),
    skill: name,
    run_by: z.enum(PROOF_RUNNERS),
    input: z.strictObject({
      sha256: Sha256Hex.meta({ description: 'Hash of the canonical JSON of the arguments.' }),
      case: z.enum(PROOF_CASES),
      seed: z.string().max(64).nullable().meta({ description: 'The same schema and seed give the same arguments.' }),
    }),
    output_sha256: Sha256Hex.nullable().meta({ description: 'Hash of the canonical JSON of the result; null without one.' }),
    grant_id: name.nullable(),
    receipt: z.strictObject({ receipt_id: name, sha256: Sha256Hex.meta({ description: "Hash of the receipt's payload." }) }),
    limits: z.strictObject({ deadline_seconds: count, budget_micros: count }),
    status: z.enum(PROOF_VERDICTS),
    error_code: z.string().max(128).nullable(),
    checks: z.array(ProofCheck).max(64),
    counts: z.strictObject({ checks: count, passed: count, events: count, files: count, tool_calls: count, handoffs: count }),
    cost_micros: count.nullable().meta({ description: 'Micro-dollars of the models that were asked; null: one has no known price.' }),
    started_at: Timestamp,
    ended_at: Timestamp,
    elapsed_ms: count,
  })
  .meta({ id: 'ProofPayload' });
export type ProofPayload = z.infer<typeof ProofPayload>;

class ProofInvalid extends Error {
  readonly code = 'proof_invalid';
  constructor(message: string) {
    super(message);
    this.name = 'ProofInvalid';
  }
}

const PROOF: SignedKind<ProofPayload> = { schema: ProofPayload, name: 'proof', Invalid: ProofInvalid };

/** The bytes that are signed and hashed. @throws z.ZodError when a field is missing or wrong. */
export function proofBytes(payload: ProofPayload): Uint8Array {
  return new TextEncoder().encode(canonicalJson(ProofPayload.parse(payload)));
}

/** Reads a token without checking its signature. @throws ProofInvalid */
export function decodeProof(token: string): Signed<ProofPayload> {
  return decodeSigned(token, PROOF);
}
