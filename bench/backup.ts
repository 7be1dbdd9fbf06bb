// A backup of an installation that serves: how long it takes, its check by a restore, and how much slower the
// database answers beside it. `npm run bench -- backup [GB] [FOLDER]`; a gigabyte of files and rows unless it
// says another size. Needs nothing that is up.
import { mkdtemp, chmod, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { createPool } from '#db/pool.ts';
import { storeBlob } from '#core/workspace/blob/store.ts';
import { bucketOf } from '#core/workspace/grant/bucket.ts';
import { sizeOf, timeOf } from '#stack/backup/report.ts';
import { takeBackup } from '#stack/backup/take.ts';
import { openPlace, unlockFor } from '#stack/backup/target.ts';
import { verifyBackup } from '#stack/backup/verify.ts';
import { testInstallation } from '#stack/backup/test/installation.ts';

const gigabytes = z.coerce.number().positive().default(1).parse(process.argv[2]);
const root = process.argv[3] ?? tmpdir();
const MIB = 2 ** 20;
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const signal = new AbortController().signal;

const i = await testInstallation();
const folder = await mkdtemp(join(root, 'svc-bench-backup-'));
await chmod(folder, 0o711);
try {
  await fill();
  const target = await unlockFor(await openPlace(join(folder, 'backups'), {}, true), 'a passphrase of the bench', i.source.installation);
  const before = await calls(5_000);
  const begun = performance.now();
  let over = false;
  const beside = callsUntil(() => over);
  const taken = await takeBackup(i.source, target, { print, signal, database: true }).finally(() => (over = true));
  const during = await beside;
  const first = performance.now() - begun;
  const again = performance.now();
  const second = await takeBackup(i.source, target, { print: () => undefined, signal, database: true });
  const secondMs = performance.now() - again;
  const verifying = performance.now();
  const faults = await verifyBackup(target, taken, { print, signal, scratchDir: join(folder, 'verify'), cacheDir: i.source.cacheDir });
  print(`first backup of ${sizeOf(taken.head.bytes)}: ${timeOf(first)}, sent ${sizeOf(taken.head.sent_bytes)}`);
  print(`second backup: ${timeOf(secondMs)}, sent ${sizeOf(second.head.sent_bytes)}`);
  print(`restore with check: ${timeOf(performance.now() - verifying)}, ${faults} faults`);
  print(
    `a read and a write of the database, p95: ${before.toFixed(1)} ms without, ${during.toFixed(1)} ms beside the backup (${(during / before).toFixed(2)}x)`,
  );
} finally {
  await i.close();
  await rm(folder, { recursive: true, force: true });
}

/** Half in files of 4 MiB, half in rows. */
async function fill(): Promise<void> {
  const each = (gigabytes * 1_000 * MIB) / 2;
  const owner_id = i.ada.actor.user_id;
  for (let n = 0; n < each / (4 * MIB); n += 1) {
    const { sha256, size_bytes } = await storeBlob(i.t.ctx, Readable.from([randomBytes(4 * MIB)]), 5 * MIB);
    await i.t.ctx.db('files').insert({ bucket: bucketOf(owner_id), path: `f${n}`, owner_id, sha256, size_bytes, mime_type: 'text/plain', file_type: 'text' });
  }
  await i.t.ctx.db.raw('create table filler (n int, t text)');
  const rows = Math.ceil(each / 4_000);
  await i.t.ctx.db.raw(
    "insert into filler select n, (select string_agg(md5(n::text || m::text), '') from generate_series(1, 120) m) from generate_series(1, ?) n",
    [rows],
  );
  for (let n = 0; n < 20; n += 1) await i.work();
}

async function callsUntil(over: () => boolean): Promise<number> {
  const times: number[] = [];
  const db = createPool({ connectionString: i.source.databaseUrl, max: 1 });
  while (!over()) times.push(await call(db));
  await db.destroy();
  return percentile(times);
}

async function calls(ms: number): Promise<number> {
  const end = performance.now() + ms;
  return callsUntil(() => performance.now() > end);
}

/** What a call does at least: it finds its agent, and writes. At most 50 a second. */
async function call(db: ReturnType<typeof createPool>): Promise<number> {
  const begun = performance.now();
  await db('agents').where({ agent_id: i.agent.id }).first();
  await db('agents').where({ agent_id: i.agent.id }).increment('call_count', 1);
  const took = performance.now() - begun;
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, 20 - took)));
  return took;
}

function percentile(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0;
}
