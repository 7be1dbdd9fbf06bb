import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as ed from '@noble/ed25519';
import { expect, test } from 'vitest';
import { serveForTest } from '#api/http/test/serve.ts';
import { agents } from '#contract/agents/agents.ts';
import { agentReceipts, type ReceiptOut } from '#contract/evidence/agent-receipts.ts';
import { publicRoutes } from '#contract/public/public.ts';
import { encodeReceipt, receiptBytes, type ReceiptPayload } from '#contract/wire/receipt.ts';
import { receiptSha256 } from '#contract/crypto/sha256.ts';
import { NotFound } from '#core/kernel/errors.ts';
import type { z } from 'zod';
import { EXIT } from '../lib/exit-codes.ts';
import { signedIn, toolAt } from '../test/signed-in.ts';
import { cites } from '#test/spec/verifies.ts';

const secret = new Uint8Array(randomBytes(32));
const publicKey = Buffer.from(await ed.getPublicKeyAsync(secret)).toString('base64');
const otherKey = Buffer.from(await ed.getPublicKeyAsync(new Uint8Array(randomBytes(32)))).toString('base64');
const hex = 'ab'.repeat(32);

function payload(seq: number, previous: string | null, over: Partial<ReceiptPayload> = {}): ReceiptPayload {
  return {
    type: 'svc.receipt.v1',
    receipt_id: `rcp_00000000-0000-7000-8000-00000000000${seq}`,
    kid: 'key_1',
    agent: { name: 'text-kit', version: '0.1.0', deployment_id: 'dep_1', image: 'sha256:x' },
    caller: { kind: 'user', id: 'usr_1' },
    skill: 'slugify',
    input_sha256: hex,
    output_sha256: hex,
    grants: [],
    files: [{ path: 'out.md', operation: 'write', sha256: hex, size_bytes: 3 }],
    tool_calls: [],
    handoffs: [],
    status: 'ok',
    error_code: null,
    started_at: '2026-11-20T19:00:00.000Z',
    ended_at: '2026-11-20T19:00:00.012Z',
    duration_ms: 12,
    runtime: 'sha256:runtime',
    seq,
    previous_sha256: previous,
    ...over,
  };
}
const seal = async (one: ReceiptPayload) => encodeReceipt(receiptBytes(one), await ed.signAsync(receiptBytes(one), secret));

const first = payload(1, null);
const second = payload(2, receiptSha256(first));
const third = payload(3, receiptSha256(second));
const tokens = await Promise.all([first, second, third].map(seal));
const [token = ''] = tokens;
const receipt = (one: ReceiptPayload, sealed: string): z.input<typeof ReceiptOut> => ({
  receipt_id: one.receipt_id,
  agent: 'text-kit',
  source: 'platform',
  skill: one.skill,
  status: one.status,
  kid: one.kid,
  token: sealed,
  payload: one,
  payload_sha256: receiptSha256(one),
  created_at: one.ended_at,
});

const { list, get } = agentReceipts;
const published = {
  current: {
    kid: 'key_1',
    alg: 'EdDSA' as const,
    public_key: publicKey,
    not_before: '2026-01-01T00:00:00.000Z',
    not_after: '2027-01-01T00:00:00.000Z',
    current: true,
  },
};

function serveReceipts() {
  return serveForTest(
    { agents: { mineSummary: agents.mineSummary }, agentReceipts: { list, get }, public: { receiptKeys: publicRoutes.receiptKeys } },
    {
      agents: {
        mineSummary: () =>
          ['empty', 'text-kit'].map((name) => ({
            name,
            state: 'live' as const,
            visibility: 'unlisted' as const,
            version: '0.1.0',
            url: `https://${name}.example.com`,
          })),
      },
      agentReceipts: {
        list: (_ctx, { query, params }) => ({
          items:
            params.name === 'empty' ? [] : [receipt(third, tokens[2] ?? ''), receipt(second, tokens[1] ?? ''), receipt(first, token)].slice(0, query.limit),
          next_cursor: null,
        }),
        get: (_ctx, { params }) => {
          if (params.name === 'empty' || params.receipt_id !== first.receipt_id) throw new NotFound('receipt_not_found', 'there is no such receipt');
          return receipt(first, token);
        },
      },
      public: { receiptKeys: () => ({ keys: [published.current] }) },
    },
  );
}

const { tool } = await toolAt(await serveReceipts());
const verify = (...argv: string[]) => tool.run(['receipt', 'verify', ...argv], signedIn);

test('verify: 0 when the signature holds, by id, token, file and standard input', cites('cli.receipt_verify', 'receipt_verify.exit'), async () => {
  const byId = await verify(first.receipt_id, '--agent', 'text-kit');
  expect(byId).toMatchObject({ code: 0, err: '' });
  expect(byId.out).toBe(`Valid: ${first.receipt_id}, text-kit.slugify, ok (by published key key_1)\n`);
  expect((await verify('--token', token)).code).toBe(0);
  expect((await tool.run(['receipt', 'verify', '-'], { stdin: `${token}\n` })).code).toBe(0);
  const folder = await mkdtemp(join(tmpdir(), 'svc-receipt-'));
  await writeFile(join(folder, 'r.txt'), tokens.join('\n'));
  const all = await verify('--token', `@${join(folder, 'r.txt')}`, '--json');
  await rm(folder, { recursive: true });
  expect(JSON.parse(all.out)).toMatchObject({
    valid: true,
    receipts: [{ state: 'valid' }, { state: 'valid' }, { state: 'valid' }],
    chain: { broken: [], gaps: [] },
  });
});

test('verify: 1 when it does not hold, however it was bent', cites('receipt_verify.exit'), async () => {
  const forged = encodeReceipt(receiptBytes(payload(1, null, { status: 'error' })), new Uint8Array(Buffer.from(token.split('.')[1] ?? '', 'base64url')));
  for (const bad of [forged, `${token}A`, token.slice(0, -2), 'junk', token.replace('.', '..'), `${token.split('.')[0]}.${'A'.repeat(86)}`]) {
    const ran = await verify('--token', bad);
    expect(ran.code, bad).toBe(EXIT.failure);
    expect(ran.out).toMatch(/^Not valid: /);
  }
  expect((await verify('--token', token, '--key', otherKey)).code).toBe(EXIT.failure);
});

test('offline: --key goes before the environment, and nothing is fetched', cites('receipt.key'), async () => {
  const offline = (argv: string[], env: Record<string, string> = {}) => tool.run(['receipt', ...argv, '--api', 'http://127.0.0.1:1'], { env });
  expect((await offline(['verify', '--token', token, '--key', publicKey])).code).toBe(0);
  expect((await offline(['verify', '--token', token], { SVC_RECEIPT_VERIFYING_KEY: publicKey })).code).toBe(0);
  expect((await offline(['verify', '--token', token, '--key', publicKey], { SVC_RECEIPT_VERIFYING_KEY: otherKey })).code).toBe(0);
  expect((await offline(['verify', '--token', token], { SVC_RECEIPT_VERIFYING_KEY: otherKey })).code).toBe(1);
  const noKey = await offline(['verify', '--token', token]);
  expect(noKey.code).toBe(1);
  expect(noKey.out).toContain('Not checked');
  expect((await offline(['show', '--token', token])).code).toBe(0);
  expect((await offline(['verify', '--token', token, '--key', 'short'])).code).toBe(EXIT.usage);
});

test('a key is good in its time only, and only for what it signed', async () => {
  const { current } = published;
  try {
    published.current = { ...current, not_before: '2026-11-21T00:00:00.000Z' };
    expect((await verify('--token', token)).out).toContain('was not good at');
    published.current = { ...current, kid: 'key_2' };
    expect((await verify('--token', token)).out).toContain('publishes no key key_1');
  } finally {
    published.current = current;
  }
});

test('a chain: a missing link is reported, a broken one fails', async () => {
  const gap = await verify('--token', `${tokens[0]} ${tokens[2]}`);
  expect(gap).toMatchObject({ code: 0 });
  expect(gap.out).toContain('Gap: text-kit: receipts 2 to 2 were not given');
  const elsewhere = await seal(payload(2, hex));
  expect(await verify('--token', `${tokens[0]} ${elsewhere}`)).toMatchObject({ code: 1 });
  const fork = await verify('--token', `${tokens[0]} ${tokens[1]} ${elsewhere}`);
  expect(fork.code).toBe(1);
  expect(fork.out).toContain('two different receipts have number 2');
  expect((await verify('--token', await seal(payload(1, hex)))).code).toBe(1);
});

test('show: everything in the receipt; 1 when the signature is bad', cites('cli.receipt_show', 'receipt_show.exit'), async () => {
  const shown = await tool.run(['receipt', 'show', '--token', token], signedIn);
  expect(shown.code).toBe(0);
  for (const part of ['text-kit 0.1.0', 'user usr_1', 'slugify', 'write out.md', 'ok, output', '12 ms', 'valid (by published key key_1)'])
    expect(shown.out).toContain(part);
  expect((await tool.run(['receipt', 'show', '--token', token, '--key', otherKey])).code).toBe(1);
  const evil = await seal(payload(1, null, { skill: 'x\u001b[2Jy' }));
  expect((await tool.run(['receipt', 'show', '--token', evil, '--key', publicKey])).out).not.toContain('\u001b');
  expect(JSON.parse((await tool.run(['receipt', 'show', '--token', token, '--key', publicKey, '--json'])).out)).toMatchObject({
    signature: 'valid',
    receipt: { seq: 1 },
  });
});

test('list, and what is missing', cites('cli.receipt_list'), async () => {
  const listed = await tool.run(['receipt', 'list', 'text-kit', '-n', '2'], signedIn);
  expect(listed.out.split('\n').map((line) => line.split(' ')[0])).toEqual(['RECEIPT', third.receipt_id, second.receipt_id, '']);
  expect(JSON.parse((await tool.run(['receipt', 'list', 'text-kit', '--json'], signedIn)).out)).toHaveLength(3);
  expect(await verify('rcp_00000000-0000-7000-8000-000000000009', '--agent', 'text-kit')).toMatchObject({ code: 1, err: 'There is no such receipt\n' });
  expect((await verify()).code).toBe(EXIT.usage);
  expect((await verify('rcp_1', '--token', token)).code).toBe(EXIT.usage);
});

test("outside of a project the caller's own agents are looked through", cites('cli.receipt_list', 'cli.receipt_show'), async () => {
  const listed = await tool.run(['receipt', 'list', '-n', '2', '--json'], signedIn);
  expect(JSON.parse(listed.out)).toMatchObject([{ receipt_id: third.receipt_id }, { receipt_id: second.receipt_id }]);
  expect((await tool.run(['receipt', 'show', first.receipt_id], signedIn)).out).toContain(first.receipt_id);
  expect((await verify(first.receipt_id)).code).toBe(EXIT.ok);
  const missing = await verify('rcp_00000000-0000-7000-8000-000000000009');
  expect(missing).toMatchObject({ code: EXIT.usage });
  expect(missing.err).toContain('--agent');
});
