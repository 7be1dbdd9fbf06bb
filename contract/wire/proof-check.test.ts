// A proof as an attacker would have it: of another agent, with a receipt of another call, signed by nobody,
// or with a verdict that its checks do not give.
import { generateKeyPairSync, sign, verify as verifyRaw, type KeyObject } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { canonicalSha256, sha256Hex } from '../crypto/sha256.ts';
import { canonicalJson } from './canonical.ts';
import { decodeProof, proofBytes, type ProofPayload } from './proof.ts';
import { checkProof, type BesideProof, type ProofVerdict } from './proof-check.ts';
import { decodeReceipt, receiptBytes, type ReceiptPayload } from './receipt.ts';
import { encodeSigned } from './signed.ts';

const at = '2026-11-26T07:00:00.000Z';
const [args, result, card] = [{ a: 1 }, { sum: 2 }, { skills: [{ id: 'add', output_schema: { type: 'object' } }] }];
const ours = generateKeyPairSync('ed25519');
const theirs = generateKeyPairSync('ed25519');
const rawOf = (key: KeyObject): string => Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64');
const keys = [{ kid: 'key_1', public_key: rawOf(ours.publicKey), not_before: '2026-11-01T00:00:00.000Z', not_after: '2026-12-01T00:00:00.000Z' }];

const receipt: ReceiptPayload = {
  type: 'svc.receipt.v1',
  receipt_id: 'rcp_1',
  kid: 'key_1',
  agent: { name: 'adder', version: '1.0.0', deployment_id: 'dep_1', image: 'sha256:1' },
  caller: { kind: 'user', id: 'usr_1' },
  skill: 'add',
  input_sha256: canonicalSha256(args),
  output_sha256: canonicalSha256(result),
  grants: ['grt_1'],
  files: [],
  tool_calls: [],
  handoffs: [],
  status: 'ok',
  error_code: null,
  started_at: at,
  ended_at: at,
  duration_ms: 0,
  runtime: 'sha256:r',
  seq: 1,
  previous_sha256: null,
};
const proof: ProofPayload = {
  type: 'svc.proof.v1',
  proof_id: 'prf_1',
  kid: 'key_1',
  agent: { name: 'adder', version: '1.0.0', deployment_id: 'dep_1', image: 'sha256:1' },
  head_sha: 'c'.repeat(40),
  card_sha256: canonicalSha256(card),
  skill: 'add',
  run_by: 'owner',
  input: { sha256: canonicalSha256(args), case: 'given', seed: null },
  output_sha256: canonicalSha256(result),
  grant_id: 'grt_1',
  receipt: { receipt_id: 'rcp_1', sha256: sha256Hex(receiptBytes(receipt)) },
  limits: { deadline_seconds: 120, budget_micros: 0 },
  status: 'passed',
  error_code: null,
  checks: [
    { name: 'outcome', passed: true, reason: null, property: null },
    { name: 'output_schema', passed: true, reason: null, property: null },
  ],
  counts: { checks: 2, passed: 2, events: 0, files: 0, tool_calls: 0, handoffs: 0 },
  cost_micros: 0,
  started_at: at,
  ended_at: at,
  elapsed_ms: 0,
};

const sealed = (bytes: Uint8Array, by: KeyObject = ours.privateKey): string => encodeSigned(bytes, sign(null, bytes, by));
const sealedProof = (more: Partial<ProofPayload> = {}, by?: KeyObject): string => sealed(proofBytes({ ...proof, ...more }), by);
const sealedReceipt = (more: Partial<ReceiptPayload> = {}, by?: KeyObject): string => sealed(receiptBytes({ ...receipt, ...more }), by);
/** SubjectPublicKeyInfo of an Ed25519 key, before its 32 bytes. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
const check = (of: { proof?: string; receipt?: string; beside?: BesideProof } = {}): Promise<ProofVerdict> =>
  checkProof({
    proof: of.proof ?? sealedProof(),
    receipt: of.receipt ?? sealedReceipt(),
    keys,
    verify: (signature, message, key) => verifyRaw(null, message, { key: Buffer.concat([SPKI, key]), format: 'der', type: 'spki' }, signature),
    ...(of.beside && { beside: of.beside }),
  });
const faults = ({ findings }: ProofVerdict): string[] => findings.flatMap(({ name, is }) => (is === 'failed' ? [name] : []));

describe('a proof', () => {
  test('holds, with all that the reader has beside it', async () => {
    const beside = { agent: 'adder', card, args, result, hasCommit: true, image: 'sha256:1', fits: () => true };
    const verdict = await check({ beside });
    expect([verdict.isAuthentic, verdict.findings.filter(({ is }) => is !== 'passed')]).toEqual([true, []]);
    expect((await check()).isAuthentic).toBe(true);
  });

  test.each<[string, Parameters<typeof check>[0], string[]]>([
    ['signed by somebody else', { proof: sealedProof({}, theirs.privateKey) }, ['Signature of the proof']],
    ['whose receipt somebody else signed', { receipt: sealedReceipt({}, theirs.privateKey) }, ['Signature of the receipt']],
    ['of a key that is not published', { proof: sealedProof({ kid: 'key_2' }) }, ['Signature of the proof']],
    ['of a time when the key was not good', { proof: sealedProof({ ended_at: '2027-01-01T00:00:00.000Z' }) }, ['Signature of the proof', 'Proof and receipt']],
    ['of another agent', { beside: { agent: 'other' } }, ['Agent']],
    ['with a receipt of another agent', { receipt: sealedReceipt({ agent: { ...receipt.agent, name: 'other' } }) }, ['Proof and receipt']],
    [
      'with a receipt of another call, genuine and used again',
      { receipt: sealedReceipt({ receipt_id: 'rcp_2', seq: 2, previous_sha256: 'a'.repeat(64) }) },
      ['Proof and receipt'],
    ],
    ['with a receipt of another version', { receipt: sealedReceipt({ agent: { ...receipt.agent, deployment_id: 'dep_2' } }) }, ['Proof and receipt']],
    ['with another image', { beside: { image: 'sha256:2' } }, ['Image']],
    ['with another card', { beside: { card: { ...card, more: 1 } } }, ['Card']],
    ['with other arguments', { beside: { args: { a: 2 } } }, ['Arguments']],
    ['with another result', { beside: { result: { sum: 3 } } }, ['Result']],
    ['whose commit is not in the clone', { beside: { hasCommit: false } }, ['Source']],
    ['that passed without its checks', { proof: sealedProof({ checks: [], counts: { ...proof.counts, checks: 0, passed: 0 } }) }, ['Verdict']],
    ['that passed though a check failed', { proof: sealedProof({ checks: proof.checks.map((one, n) => ({ ...one, passed: n === 0 })) }) }, ['Verdict']],
    ['that passed though its call failed', { receipt: sealedReceipt({ status: 'error' }) }, ['Proof and receipt']],
    ['that says its result fits a schema that it does not fit', { beside: { card, result, fits: () => false } }, ['Output schema']],
  ])('%s does not hold', async (_, of, expected) => {
    const verdict = await check(of);
    expect([verdict.isAuthentic, faults(verdict)]).toEqual([false, expected]);
  });

  test('is no receipt, and a receipt is no proof, though the same key signs both', async () => {
    expect(faults(await check({ proof: sealedReceipt() }))).toEqual(['Proof']);
    expect(faults(await check({ receipt: sealedProof() }))).toEqual(['Receipt']);
    expect(() => decodeReceipt(sealedProof())).toThrow('not a receipt');
    expect(() => decodeProof(sealedReceipt())).toThrow('not a proof');
  });

  test('written in another way is refused, so that it has one hash', async () => {
    const spaced = new TextEncoder().encode(JSON.stringify(JSON.parse(canonicalJson(proof)), null, 1));
    expect(faults(await check({ proof: sealed(spaced) }))).toEqual(['Proof']);
    for (const junk of ['', '.', 'a.b', `${sealedProof()}.x`, sealedProof().slice(0, -4)]) expect(faults(await check({ proof: junk }))).toEqual(['Proof']);
  });

  test.each(Object.keys(proof))('without %s is none', async (name) => {
    const { [name]: _, ...rest } = { ...proof } as Record<string, unknown>;
    const bytes = new TextEncoder().encode(canonicalJson(rest));
    // The page in a browser reads less strictly than the schema; what it does not read it does not show.
    expect(() => decodeProof(sealed(bytes))).toThrow('not a proof');
  });
});
