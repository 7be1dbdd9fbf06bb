import { getPublicKeyAsync, signAsync, verifyAsync } from '@noble/ed25519';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { looseForms } from '#test/support/loose-base64.ts';
import { toBase64Url } from './base64url.ts';
import { decodeReceipt, encodeReceipt, receiptBytes, ReceiptInvalid, ReceiptPayload, verifyReceipt } from './receipt.ts';
import { receiptSha256 } from '../crypto/sha256.ts';

const payload: ReceiptPayload = {
  type: 'svc.receipt.v1',
  receipt_id: 'rcp_1',
  kid: 'key_1',
  agent: { name: 'text-kit', version: '0.1.0', deployment_id: 'dep_1', image: `sha256:${'a'.repeat(64)}` },
  caller: { kind: 'user', id: 'usr_1' },
  skill: 'slugify',
  input_sha256: 'b'.repeat(64),
  output_sha256: 'c'.repeat(64),
  grants: [],
  files: [],
  tool_calls: [],
  handoffs: [],
  status: 'ok',
  error_code: null,
  started_at: '2026-01-02T03:04:05.006Z',
  ended_at: '2026-01-02T03:04:05.106Z',
  duration_ms: 100,
  runtime: 'sha256:runtime',
  seq: 1,
  previous_sha256: null,
};

const secretKey = new Uint8Array(32).fill(7);
let publicKey: Uint8Array;
let token: string;
beforeAll(async () => {
  publicKey = await getPublicKeyAsync(secretKey);
  const bytes = receiptBytes(payload);
  token = encodeReceipt(bytes, await signAsync(bytes, secretKey));
});

describe('receipts', () => {
  it('verify offline with the public key', async () => {
    expect(await verifyReceipt(token, publicKey, verifyAsync)).toEqual(payload);
  });

  it('are refused when any character of the token is changed', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=';
    const change = fc.tuple(fc.nat(token.length - 1), fc.constantFrom(...alphabet.split(''))).filter(([at, to]) => token[at] !== to);
    await fc.assert(
      fc.asyncProperty(change, async ([at, to]) => {
        const forged = token.slice(0, at) + to + token.slice(at + 1);
        await expect(verifyReceipt(forged, publicKey, verifyAsync)).rejects.toThrow(ReceiptInvalid);
      }),
      { numRuns: 300 },
    );
  });

  it('have one text each: padding, stray bits and the other alphabet are refused', async () => {
    const [head = '', tail = ''] = token.split('.');
    const forms = [...looseForms(head).map((form) => `${form}.${tail}`), ...looseForms(tail).map((form) => `${head}.${form}`)];
    for (const form of forms.filter((one) => one.trim() === one))
      await expect(verifyReceipt(form, publicKey, verifyAsync), form).rejects.toThrow(ReceiptInvalid);
  });

  it("are refused under another's key", async () => {
    const other = await getPublicKeyAsync(new Uint8Array(32).fill(8));
    await expect(verifyReceipt(token, other, verifyAsync)).rejects.toThrow(/signature/);
  });

  it('have one text: a payload with reordered members is refused even when it is signed', async () => {
    const bytes = new TextEncoder().encode(JSON.stringify(payload));
    const signed = encodeReceipt(bytes, await signAsync(bytes, secretKey));
    expect(() => decodeReceipt(signed)).toThrow(/canonical/);
  });

  it('admit no unknown member', () => {
    const bytes = new TextEncoder().encode('{"type":"svc.receipt.v1"}');
    expect(() => decodeReceipt(`${toBase64Url(bytes)}.${toBase64Url(new Uint8Array(64))}`)).toThrow(ReceiptInvalid);
    expect(ReceiptPayload.safeParse({ ...payload, extra: 1 }).success).toBe(false);
  });

  it('chain: the hash of a payload changes with any of its fields', () => {
    expect(receiptSha256(payload)).not.toBe(receiptSha256({ ...payload, seq: 2 }));
    expect(receiptSha256({ ...payload })).toBe(receiptSha256(payload));
  });
});
