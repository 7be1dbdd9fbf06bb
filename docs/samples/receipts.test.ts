// The verifiers of docs/receipts.md, on receipts as the platform seals them and on what is wrong with others.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as ed from '@noble/ed25519';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { receiptSha256 } from '#contract/crypto/sha256.ts';
import { encodeReceipt, receiptBytes, ReceiptPayload } from '#contract/wire/receipt.ts';
import golden from '../../sdk/golden/receipt.json' with { type: 'json' };

const secret = new Uint8Array(randomBytes(32));
const first = ReceiptPayload.parse({ ...golden.payload, kid: 'key_1', seq: 1, previous_sha256: null });
const second: ReceiptPayload = { ...first, receipt_id: 'rcp_2', seq: 2, previous_sha256: receiptSha256(first) };
const seal = async (one: ReceiptPayload): Promise<string> => encodeReceipt(receiptBytes(one), await ed.signAsync(receiptBytes(one), secret));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-receipts-'));
  const validity = { alg: 'EdDSA', not_before: '2026-01-01T00:00:00.000Z', not_after: '2027-01-01T00:00:00.000Z', current: true };
  const own = { kid: 'key_1', public_key: Buffer.from(await ed.getPublicKeyAsync(secret)).toString('base64'), ...validity };
  const keys = [own, { kid: golden.payload.kid, public_key: golden.public_key, ...validity }];
  await writeFile(join(folder, 'keys.json'), JSON.stringify({ keys }));
});
afterAll(() => rm(folder, { recursive: true }));

describe.each([
  ['python3', 'verify.py'],
  [process.execPath, 'verify.ts'],
])('%s %s', (program, file) => {
  async function check(...tokens: string[]): Promise<{ out: string; err: string }> {
    const child = execFile(program, [join(import.meta.dirname, 'receipts', file), join(folder, 'keys.json')]);
    child.stdin?.end(tokens.join('\n'));
    if (!child.stdout || !child.stderr) throw new Error('it has no streams');
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { out, err };
  }

  test('valid receipts, alone and in their chain', async () => {
    const [one, two] = [await seal(first), await seal(second)];
    expect(await check(golden.token, two, one)).toEqual({
      out: [golden.payload.receipt_id, 'rcp_2', first.receipt_id].map((id) => `valid ${id} golden search ok\n`).join(''),
      err: '',
    });
  });

  test('a changed payload, a signature of another key, a key that was not valid, and a broken chain are found', async () => {
    const [body = '', signature = ''] = (await seal(first)).split('.');
    const changed = Buffer.from(Buffer.from(body, 'base64url').toString('utf8').replace('"status":"ok"', '"status":"no"')).toString('base64url');
    const signed = 'the signature is not of a published key';
    expect((await check(`${changed}.${signature}`)).err).toContain(signed);
    expect((await check(`${body}.${golden.token.split('.')[1] ?? ''}`)).err).toContain(signed);
    expect((await check(await seal({ ...first, kid: 'key_2' }))).err).toContain(signed);
    expect((await check(await seal({ ...first, ended_at: '2027-02-01T00:00:00.000Z' }))).err).toContain('the key was not valid');
    expect((await check(await seal({ ...first, skill: 'other' }), await seal(second))).err).toContain('receipt 2 does not link');
  });
});
