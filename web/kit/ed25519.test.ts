import { afterEach, expect, test, vi } from 'vitest';
import { verifySignature } from './ed25519.ts';

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));
// RFC 8032, 7.1, test 2.
const KEY = hex('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c');
const MESSAGE = hex('72');
const SIGNATURE = hex('92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00');
const flipped = (bytes: Uint8Array, at: number): Uint8Array => bytes.with(at, (bytes[at] ?? 0) ^ 1);

afterEach(() => vi.restoreAllMocks());

test.each(['the browser', 'the library'])('%s verifies what was signed, and nothing else', async (by) => {
  if (by === 'the library') vi.spyOn(crypto.subtle, 'importKey').mockRejectedValue(new DOMException('Unrecognized name', 'NotSupportedError'));
  expect(await verifySignature(SIGNATURE, MESSAGE, KEY)).toBe(true);
  for (const [signature, message, key] of [
    [flipped(SIGNATURE, 0), MESSAGE, KEY],
    [flipped(SIGNATURE, 40), MESSAGE, KEY],
    [SIGNATURE, flipped(MESSAGE, 0), KEY],
    [SIGNATURE, MESSAGE, flipped(KEY, 3)],
    [SIGNATURE.slice(1), MESSAGE, KEY],
    [new Uint8Array(0), MESSAGE, KEY],
    [SIGNATURE, MESSAGE, KEY.slice(1)],
  ] as const)
    expect(await verifySignature(signature, message, key)).toBe(false);
});
