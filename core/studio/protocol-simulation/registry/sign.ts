// Signs a protocol with the keys of receipts, so that who holds the published keys can tell what was reviewed
// from what was exchanged later.
import { toBase64Url } from '#contract/wire/base64url.ts';
import { canonicalJson } from '#contract/wire/canonical.ts';
import { openPrivateKey, ensureReceiptKey } from '../../../evidence/receipt/keys.ts';
import { signBytes } from '../../../evidence/receipt/signature.ts';
import type { TxCtx } from '../../../kernel/ctx.ts';

export interface SignedProtocol {
  agent: string;
  protocol_id: string;
  version: string;
  digest: string;
}

/** `typ` says what the signature is over, so that it passes for no other document. */
export function protocolBytes({ agent, protocol_id, version, digest }: SignedProtocol): Uint8Array {
  return new TextEncoder().encode(canonicalJson({ typ: 'svc.protocol/1', agent, protocol_id, version, digest }));
}

export async function signProtocol(ctx: TxCtx, of: SignedProtocol): Promise<{ kid: string; signature: string }> {
  const key = await ensureReceiptKey(ctx, ctx.clock());
  return { kid: key.kid, signature: toBase64Url(signBytes(protocolBytes(of), await openPrivateKey(ctx.drivers.vault, key))) };
}
