// Settling in a process of its own that is killed (SIGKILL) again and again, at steps that are counted; the
// processor lives here and sees who is paid.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkStatement } from '#contract/wire/statement-check.ts';
import { publicKeyOf } from '../../evidence/receipt/keys.ts';
import type { TransferRequest } from '#drivers/payments/payouts-port.ts';
import { createVault } from '#drivers/vault/key-file.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { testProcessor, type TestProcessor } from '#test/support/processor.ts';
import { addAgent, userActor } from '#test/support/verbs.ts';
import { verifyAsync } from '@noble/ed25519';
import { auditLedger } from '../ledger/audit-ledger.ts';
import { newId } from '../../kernel/ids.ts';
import { sha256Bytes } from './statement/sign.ts';
import { readStatement } from './statement/read.ts';
import { charge, fund } from './test/money.ts';

const CREATORS = 25;
const CALLS = 8;
type Where = { step: number } | { requests: number };
const KILLS: readonly Where[] = [
  // While wallets are read, and then while creators are taken into the run.
  ...Array.from({ length: 7 }, (_, n) => ({ step: 1 + 11 * n })),
  // Before the processor's answer is heard, and at ever later steps of a payment. All of these together pay
  // fewer than there are.
  ...Array.from({ length: 7 }, (_, n) => [{ requests: 1 + (n % 2) }, { step: 19 + 4 * n }]).flat(),
];
const CENTS = 300;
const program = fileURLToPath(new URL('./test/settle-process.ts', import.meta.url));
const vaultKey = randomBytes(32);

let t: TestContext;
let processor: TestProcessor;
let server: Server;
const creators: string[] = [];
/** Killed when so many requests of its were done, before it hears of the last one. 0: not here. */
let current: { child: ChildProcess; requests: number } | undefined;
beforeAll(async () => {
  t = await testContext();
  t.ctx.drivers.vault = createVault([vaultKey]);
  processor = testProcessor();
  server = createServer((request, response) => void answer(request, response).catch(() => response.destroy())).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await t.ctx.db('platform_settings').insert([{ key: 'payout_minimum_cents', value: 1 }, { key: 'payout_hold_days', value: 0 }]); // prettier-ignore
  const payer = (await t.user('payer')).actor.user_id;
  for (let n = 0; n < CREATORS; n += 1) {
    const creator = (await t.user('creator')).actor.user_id;
    creators.push(creator);
    const agent = await addAgent(t.ctx.db, creator);
    const now = new Date();
    await t.ctx.db('payout_accounts').insert({ user_id: creator, processor_id: `acct_${creator}`, details_submitted: true, payouts_enabled: true, requirements: [], created_at: now, checked_at: now }); // prettier-ignore
    await fund(t.ctx, 'top_up', payer, CALLS * CENTS * 10_000);
    for (let call = 0; call < CALLS; call += 1) await charge(t.ctx, { payer, creator, agent, micros: CENTS * 10_000, share: CENTS * 10_000 });
  }
});
afterAll(async () => {
  server.close();
  await t.close();
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const transfer = await processor.payments.transfer((await json(request)) as TransferRequest);
  if (current && (current.requests -= 1) === 0) current.child.kill('SIGKILL');
  response.end(JSON.stringify(transfer));
}

/**
 * Its exit code; null: it was killed, at a step (test/settle-process.ts), or before the answer to its last
 * request of so many.
 */
async function settleProcess(run: string, where?: Where): Promise<unknown> {
  const port = Object(server.address() as AddressInfo).port;
  const env = { ...process.env, DATABASE_URL: t.databaseUrl, VAULT_KEY: vaultKey.toString('hex'), PROCESSOR: `http://127.0.0.1:${port}` };
  const args = ['--disable-warning=ExperimentalWarning', program, run, ...(where && 'step' in where ? [String(where.step)] : [])];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  current = { child, requests: where && 'requests' in where ? where.requests : 0 };
  const [code] = await once(child, 'close');
  return code;
}

test(`however often it is killed, each creator is paid once, all of it, and each statement holds`, async () => {
  const run_id = newId('por');
  await t.ctx.db('payout_runs').insert({ run_id, key: run_id, state: 'running', created_at: new Date() });
  for (const where of KILLS) expect(await settleProcess(run_id, where), JSON.stringify(where)).toBe(null);
  expect(await settleProcess(run_id)).toBe(0);
  expect(await t.ctx.db('payout_runs').where({ run_id }).first()).toMatchObject({ state: 'ended' });
  expect(processor.transfers.map(({ destination, cents }) => `${destination} ${cents}`).toSorted()).toEqual(
    creators.map((one) => `acct_${one} ${CALLS * CENTS}`).toSorted(),
  );
  const keys = new Map((await t.ctx.db('receipt_keys')).map((row) => [row.kid, { bytes: publicKeyOf(row) }]));
  for (const creator of creators) {
    const parts = [];
    for await (const part of await readStatement({ ...t.ctx, actor: userActor(creator) }, { run_id })) parts.push(JSON.stringify(part));
    const { faults, payload } = await checkStatement(parts, { hash: sha256Bytes, verify: verifyAsync, keyOf: (kid) => keys.get(kid) });
    expect([faults, payload.lines, payload.paid_micros]).toEqual([[], CALLS, CALLS * CENTS * 10_000]);
  }
  expect(await auditLedger(t.ctx)).toEqual([]);
  // It was killed where that matters: what was asked for and never heard of was asked for again.
  const again = [...processor.requests.values()].reduce((sum, count) => sum + count - 1, 0);
  expect(again).toBeGreaterThanOrEqual(KILLS.filter((where) => 'requests' in where).length);
});
