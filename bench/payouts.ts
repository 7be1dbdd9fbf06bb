// `node bench/payouts.ts [receipts]`: 100,000 charges (or `receipts`) of one creator by 20 payers, with their
// receipts, filled by SQL through the ledger's own function. Then what they come to is read, settled and
// signed, and the statement with its receipts is checked offline by the command line tool. Times and peak
// memory, which does not grow with the receipts; ends with 1 when settling takes 60 seconds or more, or
// checking 30.
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { publishedKeys } from '#core/evidence/receipt/published-keys.ts';
import { linkAfter } from '#core/evidence/receipt/link.ts';
import { ensureReceiptKey } from '#core/evidence/receipt/keys.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { inTx } from '#core/kernel/tx.ts';
import { auditLedger } from '#core/money/ledger/audit-ledger.ts';
import { accrue } from '#core/money/payout/accrue/accrue.ts';
import { moveLines } from '#core/money/payout/advance.ts';
import { endPayoutRun, payNext } from '#core/money/payout/run/next.ts';
import { takeDue } from '#core/money/payout/run/take.ts';
import { readReceipts, readStatement } from '#core/money/payout/statement/read.ts';
import { fund } from '#core/money/payout/test/money.ts';
import { createPool } from '#db/pool.ts';
import { testProcessor } from '#test/support/processor.ts';
import { addAgent, addUser, facts, testCtx, userActor } from '#test/support/verbs.ts';
import { benchCluster } from './database.ts';

const PAYERS = 20;
const TARGETS = { settleMs: 60_000, verifyMs: 30_000 };
const receipts = Number(process.argv[2] ?? 100_000);
/** At its end the command line tool says how much memory it took, in KiB. */
const SAYS_MEMORY = `data:text/javascript,process.on('exit',()=>process.stderr.write('peak%20of%20ours:%20'+process.resourceUsage().maxRSS))`;
const mib = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(0)} MiB`;

const cluster = await benchCluster();
const db = createPool({ connectionString: await cluster.create(), max: 4 });
const folder = await mkdtemp(join(tmpdir(), 'svc-payouts-'));
try {
  const processor = testProcessor();
  const creator = await addUser(db, 'creator');
  const ctx = testCtx(db, { actor: { kind: 'platform', service: 'bench' }, payments: processor.payments });
  await fill(ctx, creator);
  await ready(creator);

  const peak = { rss: 0, heapUsed: 0 };
  const look = (): void => {
    const { rss, heapUsed } = process.memoryUsage();
    peak.rss = Math.max(peak.rss, rss);
    peak.heapUsed = Math.max(peak.heapUsed, heapUsed);
  };
  const before = process.memoryUsage();
  const began = performance.now();
  await accrue(ctx, look);
  const accrued = performance.now();
  await moveLines(ctx);
  const moved = performance.now();
  await db('payout_runs').insert({ run_id: 'por_1', key: 'bench', state: 'running', created_at: new Date() });
  while (await takeDue(ctx, 'por_1', look));
  const taken = performance.now();
  while (await payNext(ctx, 'por_1', look));
  await endPayoutRun(ctx, 'por_1');
  const ended = performance.now();
  const [sent] = processor.transfers;
  const seconds = (from: number, to: number): string => `${((to - from) / 1_000).toFixed(1)} s`;
  print('read which money paid for what', seconds(began, accrued));
  print('receipts looked at, made due', seconds(accrued, moved));
  print('taken into a run', seconds(moved, taken));
  print('paid and signed', seconds(taken, ended));
  print(
    `settled ${receipts} receipts`,
    `${seconds(began, ended)}, $${((sent?.cents ?? 0) / 100).toFixed(2)} in ${processor.transfers.length} transfer`,
    ended - began < TARGETS.settleMs,
  );
  print('memory while settling, at most', `${mib(peak.rss)} (${mib(before.rss)} before), heap ${mib(peak.heapUsed)} (${mib(before.heapUsed)} before)`);

  const me: Ctx = { ...ctx, actor: userActor(creator) };
  const files = { statement: join(folder, 'statement.json'), receipts: join(folder, 'receipts.json'), keys: join(folder, 'keys.json') };
  await save(files.statement, await readStatement(me, { run_id: 'por_1' }));
  await save(files.receipts, await readReceipts(me, { run_id: 'por_1' }));
  await writeFile(files.keys, JSON.stringify(await publishedKeys(ctx)));
  for (const beside of [[], ['--receipts', files.receipts]]) {
    const since = performance.now();
    const ran = spawnSync(process.execPath, ['cli/bin.mjs', 'payouts', 'verify', files.statement, ...beside, '--keys', files.keys], {
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: `--max-old-space-size=256 --import=${SAYS_MEMORY}` },
    });
    const took = performance.now() - since;
    print(
      `checked offline${beside.length === 0 ? '' : ', with every receipt'}, in 256 MiB of heap`,
      `${(took / 1_000).toFixed(1)} s, memory at most ${mib(Number(/peak of ours: (\d+)/.exec(ran.stderr)?.[1]) * 1024)}`,
      ran.status === 0 && took < TARGETS.verifyMs,
    );
    if (ran.status !== 0) process.stdout.write(`${ran.stdout}${ran.stderr}\n`);
  }
  const faults = await auditLedger(ctx);
  print('ledger recomputed', `${faults.length} faults`, faults.length === 0);
} finally {
  await db.destroy();
  await cluster.stop();
  await rm(folder, { recursive: true, force: true });
}

/**
 * Receipts as they are sealed, each after the one before; charges of 5 cents, of which 4 are the creator's,
 * by each payer in turn, of gifts and top-ups.
 */
async function fill(ctx: Ctx, creator: string): Promise<void> {
  const agent = await addAgent(db, creator);
  const payers = await Promise.all(Array.from({ length: PAYERS }, () => addUser(db, 'payer')));
  const each = Math.ceil(receipts / PAYERS) * 50_000;
  for (const payer of payers) {
    await fund(ctx, 'promotion', payer, each / 10);
    for (let n = 0; n < 9; n += 1) await fund(ctx, 'top_up', payer, each / 10);
  }
  const at = Date.now() - 5 * 86_400_000;
  const key = await inTx(ctx, (ctx) => ensureReceiptKey(ctx, at));
  let head: { seq: number; head_sha256: string | null } = { seq: 0, head_sha256: null };
  for (let from = 0; from < receipts; from += 2_000) {
    const rows = [];
    for (let n = from; n < Math.min(from + 2_000, receipts); n += 1) {
      const payer = payers[n % PAYERS] ?? creator;
      const { sealed, row } = await linkAfter(
        { key, head },
        ctx,
        facts(agent, { caller: { kind: 'user', id: payer, userId: payer }, startedAt: at + n, endedAt: at + n }),
      );
      head = { seq: sealed.payload.seq, head_sha256: sealed.payload_sha256 };
      rows.push({ ...row, payload: JSON.stringify(row.payload) });
    }
    await db.batchInsert('receipts', rows, 500);
  }
  await db.raw(
    `insert into charges (charge_id, run_id, receipt_id, agent_id, skill, price_id, creator_id, payer_id, state, free, held_micros, amount_micros, creator_micros, fee_micros, started_at, ended_at)
     select 'chg_' || gen_random_uuid(), 'run_' || receipt_id, receipt_id, agent_id, skill, 'prc_1', :creator, caller_user_id, 'settled', false, 50000, 50000, 40000, 10000, started_at, ended_at
     from receipts`,
    { creator },
  );
  await db.raw(
    `insert into ledger_accounts (account_id, kind, owner_id, may_overdraw, created_at) values ('acc_earnings', 'earnings', :creator, false, now())`,
    { creator },
  );
  await db.raw(`insert into ledger_accounts (account_id, kind, shard, may_overdraw, created_at) values ('acc_fees', 'fees', 0, false, now())`);
  // In pieces: rows that one transaction changes again and again are read through all their versions.
  for (let from = 0; from < receipts; from += 500)
    await db.raw(
      `select count(ledger_post('ltx_' || c.charge_id, 'charge:' || c.charge_id, 'charge', null, jsonb_build_object('charge_id', c.charge_id), c.ended_at,
                array[w.account_id, 'acc_earnings', 'acc_fees'], array[-50000, 40000, 10000]::bigint[]))
       from (select * from charges order by ended_at, charge_id offset :from limit 500) c join ledger_accounts w on w.kind = 'wallet' and w.owner_id = c.payer_id`,
      { from },
    );
  await db.raw('analyze');
}

async function ready(user_id: string): Promise<void> {
  const now = new Date();
  await db('payout_accounts').insert({
    user_id,
    processor_id: 'acct_1',
    details_submitted: true,
    payouts_enabled: true,
    requirements: [],
    created_at: now,
    checked_at: now,
  });
}

async function save(path: string, parts: AsyncIterable<object>): Promise<void> {
  const file = createWriteStream(path);
  for await (const part of parts) if (!file.write(`${JSON.stringify(part)}\n`)) await new Promise<void>((resolve) => file.once('drain', () => resolve()));
  await new Promise<void>((resolve) => file.end(() => resolve()));
}

function print(what: string, figure: string, holds?: boolean): void {
  process.stdout.write(`${what.padEnd(58)} ${figure}${holds === undefined ? '' : holds ? '  met' : '  MISSED'}\n`);
  if (holds === false) process.exitCode = 1;
}
