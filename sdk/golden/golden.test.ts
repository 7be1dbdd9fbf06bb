import { readFileSync } from 'node:fs';
import { verifyAsync } from '@noble/ed25519';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AgentCard } from '../../contract/wire/card.ts';
import { canonicalJson } from '../../contract/wire/canonical.ts';
import { canonicalSha256, receiptSha256 } from '../../contract/crypto/sha256.ts';
import { decodeReceipt, ReceiptPayload, verifyReceipt } from '../../contract/wire/receipt.ts';
import { declare } from '../typescript/authoring/declare.ts';
import { Golden } from './agent.ts';
import { cites } from '../../test/spec/verifies.ts';

function vectors<T>(name: string, shape: z.ZodType<T>): T {
  return shape.parse(JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')));
}

describe('golden vectors', () => {
  it.each(vectors('canonical.json', z.array(z.object({ value: z.unknown(), canonical: z.string(), sha256: z.string() }))))('canonical JSON: $canonical', ({ value, canonical, sha256 }) => {
    expect(canonicalJson(value)).toBe(canonical);
    expect(canonicalSha256(value)).toBe(sha256);
  });

  it('the card', cites('card.fields'), () => {
    const expected = vectors('card.json', z.unknown());
    expect(canonicalJson(declare(new Golden()).card)).toBe(canonicalJson(expected));
    expect(canonicalJson(AgentCard.parse(expected))).toBe(canonicalJson(expected));
  });

  it.each(['receipt.json', 'receipt-denials.json', 'receipt-charge.json'])('the receipt: %s', async (file) => {
    const golden = vectors(file, z.object({ public_key: z.base64(), payload: ReceiptPayload, payload_sha256: z.string(), token: z.string() }));
    expect(receiptSha256(golden.payload)).toBe(golden.payload_sha256);
    expect(decodeReceipt(golden.token).payload).toEqual(golden.payload);
    const key = new Uint8Array(Buffer.from(golden.public_key, 'base64'));
    expect(await verifyReceipt(golden.token, key, verifyAsync)).toEqual(golden.payload);
  });
});
