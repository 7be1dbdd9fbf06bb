// The browser's own verification, over receipts that the platform's code sealed.
import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toBase64Url } from '#contract/wire/base64url.ts';
import { canonicalJson } from '#contract/wire/canonical.ts';
import { canonicalDigest } from '#contract/wire/sha256.ts';
import { appendReceipt } from '#core/evidence/receipt/sign.ts';
import type { SignedReceipt } from '#core/evidence/receipt/link.ts';
import { inTx } from '#core/kernel/tx.ts';
import { createPool } from '#db/pool.ts';
import { testDatabase } from '#test/support/servers.ts';
import { addAgent, addUser, facts, testCtx } from '#test/support/verbs.ts';
import { type Beside, type Check, checkReceipt, payloadSha256, type PublishedKey } from '#web/evidence/receipts/checks.ts';
import { decode } from '#web/evidence/receipts/decode.ts';

const args = { name: 'Ada' };
const result = 'Hello Ada';

let db: Knex;
let first: SignedReceipt;
let second: SignedReceipt;
let keys: PublishedKey[];
beforeAll(async () => {
  db = createPool({ connectionString: (await testDatabase()).url });
  const user = await addUser(db);
  const agent = await addAgent(db, user);
  const ctx = testCtx(db, { actor: { kind: 'platform', service: 'worker' } });
  const of = facts(agent, { inputSha256: await canonicalDigest(args), outputSha256: await canonicalDigest(result) });
  first = await inTx(ctx, (ctx) => appendReceipt(ctx, of));
  second = await inTx(ctx, (ctx) => appendReceipt(ctx, of));
  keys = (await db('receipt_keys')).map(({ kid, public_key, not_before, not_after }) => {
    return { kid, alg: 'EdDSA' as const, public_key, not_before: not_before.toISOString(), not_after: not_after.toISOString(), current: true };
  });
});
afterAll(() => db.destroy());

const failed = async (token: string, beside?: Beside, by = keys): Promise<string[]> =>
  (await checkReceipt(token, by, beside)).checks.filter(({ is }) => is === 'failed').map(({ name }) => name);
const states = (checks: Check[]): Record<string, string> => Object.fromEntries(checks.map(({ name, is }) => [name, is]));

/** The same signature over something else. */
function tampered(change: (payload: Record<string, unknown>) => void, { token } = second): string {
  const payload: Record<string, unknown> = { ...decode(token).payload };
  change(payload);
  return `${toBase64Url(new TextEncoder().encode(canonicalJson(payload)))}.${token.split('.')[1]}`;
}

test('a sealed receipt passes all that can be checked', async () => {
  const previous = await payloadSha256(decode(first.token));
  expect(previous).toBe(first.payload_sha256);
  const { checks, isValid } = await checkReceipt(second.token, keys, { previous, args, result });
  expect(states(checks)).toEqual({
    form: 'passed', key: 'passed', signature: 'passed', dates: 'passed', chain: 'passed', arguments: 'passed', result: 'passed',
  }); // prettier-ignore
  expect(isValid).toBe(true);
});

test('what is not at hand stays open, and says so', async () => {
  const { checks, isValid } = await checkReceipt(second.token, keys);
  expect(states(checks)).toMatchObject({ signature: 'passed', chain: 'open', arguments: 'open', result: 'open' });
  expect(isValid).toBe(true);
  expect((await checkReceipt(first.token, keys)).checks).toContainEqual(expect.objectContaining({ name: 'chain', is: 'passed' }));
});

test('every change of what it says breaks the signature', async () => {
  expect(await failed(tampered((payload) => (payload['skill'] = 'other')))).toEqual(['signature']);
  expect(await failed(tampered((payload) => (payload['duration_ms'] = 1)))).toEqual(['signature']);
  expect(await failed(tampered((payload) => (payload['previous_sha256'] = null)))).toEqual(['signature', 'chain']);
  expect(await failed(tampered((payload) => (payload['ended_at'] = '2020-01-01T00:00:00.000Z')))).toEqual(['signature', 'dates']);
  const other = second.token.split('.')[0] ?? '';
  expect(await failed(`${other}.${first.token.split('.')[1]}`)).toEqual(['signature']);
});

test('a key that nobody published proves nothing', async () => {
  const { checks, isValid } = await checkReceipt(second.token, []);
  expect(states(checks)).toMatchObject({ key: 'failed', signature: 'open' });
  expect(isValid).toBe(false);
});

test('other arguments, another result and another receipt before it are found', async () => {
  expect(await failed(second.token, { args: { name: 'Ben' } })).toEqual(['arguments']);
  expect(await failed(second.token, { result: 'Hello Ben' })).toEqual(['result']);
  expect(await failed(second.token, { previous: '0'.repeat(64) })).toEqual(['chain']);
});

test('what is no receipt is called that', async () => {
  const junk = (text: string): string => `${toBase64Url(new TextEncoder().encode(text))}.${second.token.split('.')[1]}`;
  for (const token of ['', 'a.b', `${second.token}.x`, second.token.slice(0, -5), junk('not JSON'), junk('{"type":"svc.receipt.v1"}'), junk('[]')])
    expect(await failed(token), token.slice(0, 20)).toEqual(['form']);
  // The same payload, written in another way.
  expect(await failed(junk(JSON.stringify(decode(second.token).payload, null, 1)))).toEqual(['form']);
});
