import { createHash } from 'node:crypto';
import { getPublicKeyAsync, signAsync, verifyAsync } from '@noble/ed25519';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { fromHex, inclusionPath, leafHash, MerkleRoot, rootOfPath, toHex } from './merkle.ts';
import { encodeSigned } from './signed.ts';
import { lineBytes, lineHash, shareOf, statementBytes, StatementInvalid, type StatementLine, type StatementPayload } from './statement.ts';
import { checkInclusion, checkStatement, type StatementTools } from './statement-check.ts';

const hash = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

async function rootOf(leaves: readonly Uint8Array[]): Promise<string> {
  const tree = new MerkleRoot(hash);
  for (const leaf of leaves) await tree.add(leaf);
  return toHex(await tree.root());
}

describe('the tree', () => {
  /** RFC 6962, section 2.1, as it is written: for comparison. */
  function defined(leaves: readonly Uint8Array[]): Buffer {
    const digest = (...parts: Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
    if (leaves.length === 0) return digest();
    const [first] = leaves;
    if (leaves.length === 1 && first) return digest(Buffer.from([0]), first);
    const k = 2 ** Math.ceil(Math.log2(leaves.length) - 1);
    return digest(Buffer.from([1]), defined(leaves.slice(0, k)), defined(leaves.slice(k)));
  }

  test('has the root that the RFC defines, for every size', async () => {
    for (let size = 0; size <= 70; size += 1) {
      const leaves = Array.from({ length: size }, (_, n) => bytesOf(`leaf ${n}`));
      expect(await rootOf(leaves), `${size} leaves`).toBe(defined(leaves).toString('hex'));
    }
  });

  test('proves each leaf, only in its place', async () => {
    for (const size of [1, 2, 3, 7, 8, 13, 33]) {
      const leaves = Array.from({ length: size }, (_, n) => bytesOf(`leaf ${n}`));
      const hashes = await Promise.all(leaves.map((leaf) => leafHash(hash, leaf)));
      const root = await rootOf(leaves);
      for (const [index, leaf] of hashes.entries()) {
        const path = await inclusionPath(hash, hashes, index);
        const found = await rootOfPath(hash, leaf, { index, size, path });
        expect(found && toHex(found), `${index} of ${size}`).toBe(root);
        for (const wrong of [index - 1, index + 1, size]) {
          const other = await rootOfPath(hash, leaf, { index: wrong, size, path });
          expect(other && toHex(other), `${index} as ${wrong} of ${size}`).not.toBe(root);
        }
        expect(await rootOfPath(hash, leaf, { index, size, path: [...path, hash(leaf)] })).toBeUndefined();
      }
    }
  });

  test('a node is no leaf: the hashes of two leaves as one leaf have another root', async () => {
    const [a, b] = [bytesOf('a'), bytesOf('b')];
    const both = new Uint8Array([...(await leafHash(hash, a)), ...(await leafHash(hash, b))]);
    expect(await rootOf([both])).not.toBe(await rootOf([a, b]));
  });

  test('bytes and hexadecimal are the same', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void expect(fromHex(toHex(bytes))).toEqual(bytes)));
    for (const text of ['0', 'zz', 'AB', ' 00']) expect(fromHex(text)).toBeUndefined();
  });
});

const secret = new Uint8Array(32).fill(9);
let publicKey: Uint8Array;
let otherKey: Uint8Array;
beforeAll(async () => {
  publicKey = await getPublicKeyAsync(secret);
  otherKey = await getPublicKeyAsync(new Uint8Array(32).fill(8));
});
const tools = (key: () => Uint8Array = () => publicKey): StatementTools => ({
  hash,
  verify: (signature, message, of) => verifyAsync(signature, message, of, { zip215: false }),
  keyOf: (kid) => (kid === 'key_1' ? { bytes: key() } : undefined),
});

const line = (n: number, over: Partial<StatementLine> = {}): StatementLine => ({
  type: 'line',
  line_id: `pol_${n}`,
  kind: 'receipt',
  receipt_id: `rcp_${n}`,
  receipt_sha256: 'a'.repeat(64),
  bounty_id: null,
  of_line_id: null,
  agent: 'text-kit',
  skill: 'slugify',
  price_version: 1,
  charged_micros: 10_000,
  creator_micros: 8_000,
  received_micros: 10_000,
  amount_micros: 8_000,
  reason: null,
  at: '2026-11-20T19:00:00.000Z',
  ...over,
});

async function statement(lines: readonly StatementLine[], over: Partial<StatementPayload> = {}): Promise<string[]> {
  const sum = lines.reduce((total, { amount_micros }) => total + amount_micros, 0);
  const root_sha256 = await rootOf(lines.map(lineBytes));
  const bytes = statementBytes({
    type: 'svc.payout-statement.v1',
    statement_id: 'pot_1',
    run_id: 'por_1',
    account: 'usr_1',
    kid: 'key_1',
    currency: 'usd',
    from: '2026-11-20T19:00:00.000Z',
    to: '2026-11-20T19:00:00.000Z',
    lines: lines.length,
    root_sha256,
    lines_micros: sum,
    carried_micros: sum % 10_000,
    paid_micros: sum - (sum % 10_000),
    issued_at: '2026-11-24T19:00:00.000Z',
    ...over,
  });
  const token = encodeSigned(bytes, await signAsync(bytes, secret));
  return [JSON.stringify({ type: 'statement', token }), ...lines.map((one) => JSON.stringify(one))];
}

describe('a statement', () => {
  const lines = Array.from({ length: 9 }, (_, n) => line(n));

  test('holds as it was signed, and one line of it on its own', async () => {
    const texts = await statement(lines);
    expect((await checkStatement(texts, tools())).faults).toEqual([]);
    const hashes = await Promise.all(lines.map((one) => lineHash(hash, one)));
    const token: string = JSON.parse(texts[0] ?? '').token;
    const inclusion = { type: 'inclusion' as const, token, line: line(4), index: 4, path: (await inclusionPath(hash, hashes, 4)).map(toHex) };
    expect((await checkInclusion(inclusion, tools())).faults).toEqual([]);
    expect((await checkInclusion({ ...inclusion, line: line(4, { skill: 'other' }) }, tools())).faults).toEqual([
      expect.stringContaining('not in the statement'),
    ]);
    expect((await checkInclusion({ ...inclusion, index: 5 }, tools())).faults).toEqual([expect.stringContaining('not in the statement')]);
  });

  test('is refused when a line was changed, dropped, doubled, added or moved', async () => {
    const [head = '', ...texts] = await statement(lines);
    const [first = '', second = ''] = texts;
    const forged = [
      [head, JSON.stringify(line(0, { receipt_id: 'rcp_other' })), ...texts.slice(1)],
      [head, ...texts.slice(1)],
      [head, first, ...texts],
      [head, ...texts, JSON.stringify(line(99))],
      [head, second, first, ...texts.slice(2)],
    ];
    for (const one of forged) expect((await checkStatement(one, tools())).faults.join('; ')).toContain('its lines are not those that were signed');
  });

  test('is refused when another key signed it, its key is not published or was not good then', async () => {
    const texts = await statement(lines);
    expect(
      (
        await checkStatement(
          texts,
          tools(() => otherKey),
        )
      ).faults,
    ).toEqual([expect.stringContaining('signature')]);
    expect((await checkStatement(await statement(lines, { kid: 'key_2' }), tools())).faults).toEqual([expect.stringContaining('no published key')]);
    const late = { ...tools(), keyOf: () => ({ bytes: publicKey, notAfter: Date.parse('2026-11-23T00:00:00Z') }) };
    expect((await checkStatement(texts, late)).faults).toEqual([expect.stringContaining('was not good at')]);
    expect((await checkStatement(await statement(lines, { paid_micros: 1_000_000 }), tools())).faults).toEqual([expect.stringContaining('sum of the lines')]);
  });

  test('is refused when an amount is not the share, though it was signed', async () => {
    const wrong = await statement([line(0, { amount_micros: 9_000 })]);
    expect((await checkStatement(wrong, tools())).faults).toEqual([expect.stringContaining('is not the share')]);
    expect((await checkStatement(await statement([line(0, { received_micros: 20_000, amount_micros: 16_000 })]), tools())).faults).toEqual([expect.stringContaining('more was received')]); // prettier-ignore
  });

  test('that cannot be read is none', async () => {
    for (const texts of [[], ['{}'], ['junk'], [JSON.stringify(line(1))], [...(await statement(lines)), '{"type":"line"}']])
      await expect(checkStatement(texts, tools())).rejects.toThrow(StatementInvalid);
  });
});

test('a share is exact, and rounded down', () => {
  expect(shareOf({ creator_micros: 9_007_199_254_740_991, received_micros: 3, charged_micros: 9_007_199_254_740_991 })).toBe(3);
  expect(shareOf({ creator_micros: 2, received_micros: 1, charged_micros: 3 })).toBe(0);
});
