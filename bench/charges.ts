// `node bench/charges.ts`: what a charge adds to a call. One account makes the same call of two skills of one
// agent, in turns, one call after the other: one skill has a price, the other none. Both wait for the end of
// the receipt. Then how many calls a second that is, of one account and of many. Targets: less than 5 ms
// added at p50, 150 priced calls a second of one wallet, 500 over many; with 16 calls at once, by one process
// beside its database.
import { createServer } from 'node:http';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newId } from '#core/kernel/ids.ts';
import { accountOf, platformAccount } from '#core/money/ledger/accounts.ts';
import { auditLedger } from '#core/money/ledger/audit-ledger.ts';
import { post } from '#core/money/ledger/post.ts';
import { setPrice } from '#core/money/price/set.ts';
import { invokeSkill } from '#test/support/calls.ts';
import { socketOf } from '#test/support/agent-socket.ts';
import { testContext, type TestUser } from '#test/support/context.ts';
import { liveAgent } from '#test/support/runs.ts';
import { benchCluster } from './database.ts';
import { median, rounds } from './ratio.ts';

const CALLS = 200;
const TOGETHER = 16;
const TARGET_MS = 5;
const TARGET_RATES = { one: 150, many: 500 };
/** Accounts that call in turns, each with a wallet of its own. */
const CALLERS = 32;
const SKILLS = ['unpriced', 'priced'] as const;

const cluster = await benchCluster();
const t = await testContext({ databaseUrl: await cluster.create(), connections: 20 });
const [caller, owner] = [await t.user('caller'), await t.user('owner')];
const skills = SKILLS.map((id) => ({ id, name: id, input_schema: {}, output_schema: {} }));
const callee = await liveAgent(t.ctx, owner.actor.user_id, { visibility: 'public', card: { skills } });
const price = { call_micros: 20_000, second_micros: 0, token_micros: 0, artifact_micros: 0, free_calls: 0 };
await setPrice(owner, { name: callee.name, skill: 'priced', price });
const others = await Promise.all(Array.from({ length: CALLERS }, () => t.user('caller')));
for (const one of [caller, ...others]) await credit(one, 1_000_000_000);

const agent = createServer((request, response) => {
  request.resume();
  response.setHeader('content-type', 'application/json').end('{"greeting":"hello"}');
});
const path = socketOf(t.ctx.drivers.runtime.address(callee.instanceId));
await mkdir(dirname(path), { recursive: true });
await new Promise<void>((resolve) => agent.listen(path, resolve));

try {
  const all: Record<(typeof SKILLS)[number], number>[] = [];
  // One of each in turns, so that what else the machine does meets both.
  for (let n = 0; n < CALLS * rounds(5); n += 1) {
    const took = { unpriced: Number.NaN, priced: Number.NaN };
    for (const skill of n % 2 === 0 ? SKILLS : SKILLS.toReversed()) took[skill] = await call(skill);
    // The first ones fill caches.
    if (n >= 20) all.push(took);
  }
  const [without, withCharge] = [median(all.map((one) => one.unpriced)), median(all.map((one) => one.priced))];
  const added = withCharge - without;
  process.stdout.write(`a call at p50: without a price ${without.toFixed(2)} ms, with one ${withCharge.toFixed(2)} ms, added ${added.toFixed(2)} ms, target less than ${TARGET_MS} ms: ${added < TARGET_MS ? 'met' : 'missed'}\n`); // prettier-ignore
  for (const [whose, callers] of [
    ['one account', [caller]],
    [`${CALLERS} accounts`, others],
  ] as const) {
    const target = callers.length === 1 ? TARGET_RATES.one : TARGET_RATES.many;
    const rates = { unpriced: await rate('unpriced', callers), priced: await rate('priced', callers) };
    process.stdout.write(`calls a second of ${whose}, ${TOGETHER} at once: ${rates.unpriced.toFixed(0)} without a price, ${rates.priced.toFixed(0)} with one, target ${target}: ${rates.priced >= target ? 'met' : 'missed'}\n`); // prettier-ignore
  }
  const faults = await auditLedger(t.ctx);
  process.stdout.write(`the ledger: ${faults.length === 0 ? 'adds up' : JSON.stringify(faults)}\n`);
} finally {
  agent.closeAllConnections();
  agent.close();
  await t.close();
  await cluster.stop();
}

/** Milliseconds. */
async function call(skill_name: string, by: TestUser = caller): Promise<number> {
  const began = performance.now();
  const { status } = await invokeSkill(by, { name: callee.name, skill_name, args: {}, accept: 'application/json', signal: new AbortController().signal });
  if (status !== 200) throw new Error(`a call was answered ${status}`);
  return performance.now() - began;
}

async function rate(skill: string, callers: readonly TestUser[]): Promise<number> {
  const began = performance.now();
  const one = async (_: unknown, at: number): Promise<void> => {
    for (let n = 0; n < CALLS; n += 1) await call(skill, callers[(at + n * TOGETHER) % callers.length]);
  };
  await Promise.all(Array.from({ length: TOGETHER }, one));
  return (CALLS * TOGETHER * 1000) / (performance.now() - began);
}

async function credit(of: TestUser, micros: number): Promise<void> {
  const key = `promotion:${newId('acc')}`;
  const [wallet, from] = [await accountOf(t.ctx.db, 'wallet', of.actor.user_id), await platformAccount(t.ctx.db, 'promotion', key)];
  const lines = [{ accountId: wallet, micros }, { accountId: from, micros: -micros }]; // prettier-ignore
  await post(t.ctx.db, { key, kind: 'promotion', lines, refs: {}, at: Date.now() });
}
