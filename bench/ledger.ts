// `node bench/ledger.ts [seconds]`: what a charge adds to a call (hold, then settle), one after the other;
// then charges a second with many wallets and with one, 32 at a time. At the end the ledger is recomputed: a
// benchmark that loses money is not one.
import { accountOf, platformAccount } from '#core/money/ledger/accounts.ts';
import { auditLedger } from '#core/money/ledger/audit-ledger.ts';
import { hold, settleHold } from '#core/money/ledger/hold.ts';
import { post } from '#core/money/ledger/post.ts';
import { createPool } from '#db/pool.ts';
import { benchCluster } from './database.ts';
import { percentile } from './load.ts';

const AT_ONCE = 32;
const WALLETS = 100;
const TARGETS = { p50Ms: 5, perSecond: 500, hotPerSecond: 150 };

const seconds = Number(process.argv[2] ?? 10);
const cluster = await benchCluster();
const db = createPool({ connectionString: await cluster.create(), max: AT_ONCE });
try {
  const wallets = await Promise.all(Array.from({ length: WALLETS }, (_, number) => filled(`usr_${number}`)));
  const [hot = ''] = wallets;
  await during(1, () => charge(hot), 1);
  const oneByOne = await during(seconds, () => charge(hot), 1);
  const many = await during(seconds, (number) => charge(wallets[number % WALLETS] ?? hot), AT_ONCE);
  const one = await during(seconds, () => charge(hot), AT_ONCE);
  const p50 = percentile(oneByOne.times, 50);
  print('one after the other', `p50 ${p50.toFixed(2)} ms, p99 ${percentile(oneByOne.times, 99).toFixed(2)} ms`, p50 < TARGETS.p50Ms);
  print(`${WALLETS} wallets, ${AT_ONCE} at once`, `${many.perSecond.toFixed(0)} a second`, many.perSecond >= TARGETS.perSecond);
  print(`one wallet, ${AT_ONCE} at once`, `${one.perSecond.toFixed(0)} a second`, one.perSecond >= TARGETS.hotPerSecond);
  const faults = await auditLedger({ db });
  print('recomputed', `${faults.length} faults`, faults.length === 0);
} finally {
  await db.destroy();
  await cluster.stop();
}

async function filled(owner: string): Promise<string> {
  const [wallet, promotion] = [await accountOf(db, 'wallet', owner), await platformAccount(db, 'promotion', owner)];
  const micros = 1_000_000_000_000;
  const lines = [{ accountId: wallet, micros }, { accountId: promotion, micros: -micros }]; // prettier-ignore
  await post(db, { key: `promotion:${owner}`, kind: 'promotion', lines, refs: {}, at: Date.now() });
  return wallet;
}

async function charge(accountId: string): Promise<void> {
  const key = `run:${crypto.randomUUID()}`;
  const at = Date.now();
  await hold(db, { key, accountId, micros: 20_000, at, expiresAt: at + 60_000 });
  const fees = await platformAccount(db, 'fees', key);
  const lines = [{ accountId, micros: -12_000 }, { accountId: fees, micros: 12_000 }]; // prettier-ignore
  await settleHold(db, key, { key: `charge:${key}`, kind: 'charge', lines, refs: { run_id: key }, at });
}

async function during(time: number, work: (number: number) => Promise<void>, atOnce: number): Promise<{ times: number[]; perSecond: number }> {
  const times: number[] = [];
  const began = performance.now();
  let number = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() - began < time * 1_000) {
      const since = performance.now();
      await work(number++);
      times.push(performance.now() - since);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { times, perSecond: times.length / ((performance.now() - began) / 1_000) };
}

function print(name: string, figure: string, met: boolean): void {
  process.stdout.write(`${name.padEnd(28)} ${figure.padEnd(34)} ${met ? 'met' : 'missed'}\n`);
  if (!met) process.exitCode = 1;
}
