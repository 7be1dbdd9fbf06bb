// Signs a proof with the key that signs receipts; nothing is stored here.
import { sha256Hex } from '#contract/crypto/sha256.ts';
import { proofBytes, ProofPayload } from '#contract/wire/proof.ts';
import { encodeSigned } from '#contract/wire/signed.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { storable } from '../../kernel/storable.ts';
import { openPrivateKey, ensureReceiptKey } from '../receipt/keys.ts';
import { signBytes } from '../receipt/signature.ts';

export interface SignedProof {
  /** base64url(payload).base64url(signature) */
  token: string;
  proof_sha256: string;
}

/** @throws z.ZodError when a field is missing or wrong */
export async function signProof(ctx: TxCtx, facts: Omit<ProofPayload, 'type' | 'kid'>): Promise<SignedProof> {
  const key = await ensureReceiptKey(ctx, Date.parse(facts.ended_at));
  const bytes = proofBytes(ProofPayload.parse(storable({ type: 'svc.proof.v1', kid: key.kid, ...facts })));
  const privateKey = await openPrivateKey(ctx.drivers.vault, key);
  return { token: encodeSigned(bytes, signBytes(bytes, privateKey)), proof_sha256: sha256Hex(bytes) };
}
