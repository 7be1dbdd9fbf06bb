// Documents that the platform signs: base64url(payload) "." base64url(signature); the payload is canonical
// JSON, the signature Ed25519 over its bytes.
import type { z } from 'zod';
import { fromBase64Url, toBase64Url } from './base64url.ts';
import { canonicalJson } from './canonical.ts';

export interface Signed<T> {
  payload: T;
  /** As signed. */
  bytes: Uint8Array;
  /** 64 bytes, not yet checked. */
  signature: Uint8Array;
}

/** How one kind of document is read. */
export interface SignedKind<T> {
  schema: z.ZodType<T>;
  /** What it is called in messages: "receipt". */
  name: string;
  /** What is thrown of one that cannot be read. */
  Invalid: new (message: string) => Error;
}

export function encodeSigned(payload: Uint8Array, signature: Uint8Array): string {
  return `${toBase64Url(payload)}.${toBase64Url(signature)}`;
}

/** Reads a token without checking its signature. @throws kind.Invalid */
export function decodeSigned<T>(token: string, kind: SignedKind<T>): Signed<T> {
  const [head = '', tail = '', ...rest] = token.trim().split('.');
  const bytes = fromBase64Url(head);
  const signature = fromBase64Url(tail);
  if (!bytes?.length || signature?.length !== 64 || rest.length > 0) {
    throw new kind.Invalid(`not a ${kind.name}: expected base64url(payload).base64url(signature)`);
  }
  return { payload: readPayload(bytes, kind), bytes, signature };
}

function readPayload<T>(bytes: Uint8Array, { schema, name, Invalid }: SignedKind<T>): T {
  let value: unknown;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    value = JSON.parse(text);
  } catch {
    throw new Invalid('the payload is not JSON');
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Invalid(`the payload is not a ${name}: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  // One text per document, or two verifiers could hash one document differently.
  if (canonicalJson(parsed.data) !== text) throw new Invalid('the payload is not canonical JSON');
  return parsed.data;
}

/** Ed25519 check, given by the caller so that this file needs no library. */
export type VerifySignature = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean | Promise<boolean>;

/** The payload when the signature holds. @throws kind.Invalid otherwise */
export async function verifySigned<T>(token: string, publicKey: Uint8Array, verify: VerifySignature, kind: SignedKind<T>): Promise<T> {
  if (publicKey.length !== 32) throw new kind.Invalid('an Ed25519 public key has 32 bytes');
  const { payload, bytes, signature } = decodeSigned(token, kind);
  if (!(await verify(signature, bytes, publicKey))) throw new kind.Invalid('the signature does not match the payload and key');
  return payload;
}
