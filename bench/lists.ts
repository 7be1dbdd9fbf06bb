// `node bench/lists.ts [rows] [words]`: list routes (only those whose name has the words) with 1,000 rows and
// with 1,000,000 (or `rows`), asked in turn, and the p95 of each: the median of several rounds. Ends with 1
// when the p95 of one grows to more than 1.5 times. Below FLOOR_MS the noise of a shared machine is larger
// than what a list costs: what is quicker counts as FLOOR_MS on either side, so an answer within 1.5 times
// FLOOR_MS never misses.
import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import { createPool } from '#db/pool.ts';
import { ACCOUNT, BEARER, serveApi } from './api-part.ts';
import { benchCluster } from './database.ts';
import { LISTS } from './list-routes.ts';
import { fillLists } from './lists-data.ts';
import { type BenchPart, percentile, startPart } from './load.ts';
import { median } from './ratio.ts';

const file = fileURLToPath(import.meta.url);
const SMALL = 1_000;
const ROUNDS = 5;
const REQUESTS = 80;
const WARM_UP = 20;
const TARGET = 1.5;
const FLOOR_MS = 2;

if (process.argv[2] === 'api') process.send?.(await serveApi(process.env.BENCH_DATABASE ?? ''));
else await compare(Number(process.argv[2] ?? 1_000_000));

async function compare(large: number): Promise<void> {
  const cluster = await benchCluster();
  const parts: BenchPart[] = [];
  try {
    for (const rows of [SMALL, large]) parts.push(await serveWith(await cluster.create(), rows));
    const [small, big] = parts.map((part) => part.url);
    const missed: string[] = [];
    print('route', '1 k p95', 'p95', 'ratio');
    for (const [name, path] of Object.entries(LISTS)) {
      if (!name.includes(process.argv[3] ?? '')) continue;
      const [before, after] = await p95s(`${small}${path}`, `${big}${path}`);
      const ratio = after / before;
      const holds = Math.max(after, FLOOR_MS) <= TARGET * Math.max(before, FLOOR_MS);
      if (!holds) missed.push(name);
      print(name, `${before.toFixed(1)} ms`, `${after.toFixed(1)} ms`, `${ratio.toFixed(2)}x`, holds ? '' : 'missed');
    }
    const target = `${SMALL} → ${large} rows; p95 at most ${TARGET}x (what takes less than ${FLOOR_MS} ms counts as ${FLOOR_MS} ms)`;
    process.stdout.write(`${target}: ${missed.length === 0 ? 'met' : `missed by ${missed.length} of ${Object.keys(LISTS).length}`}\n`);
    if (missed.length > 0) process.exitCode = 1;
  } finally {
    await Promise.all(parts.map((part) => part.stop()));
    await cluster.stop();
  }
}

async function serveWith(connectionString: string, rows: number): Promise<BenchPart> {
  const db: Knex = createPool({ connectionString, max: 1 });
  await db('users').insert(ACCOUNT);
  await fillLists(db, rows);
  await db.destroy();
  return startPart(file, 'api', { BENCH_DATABASE: connectionString });
}

function print(name: string, ...cells: string[]): void {
  process.stdout.write(`${name.padEnd(40)} ${cells.map((cell) => cell.padStart(9)).join(' ')}\n`.trimStart());
}

/** Medians over the rounds, in milliseconds. */
async function p95s(small: string, big: string): Promise<[number, number]> {
  await ask(small, big, WARM_UP);
  const rounds: [number, number][] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await ask(small, big, REQUESTS));
  return [median(rounds.map(([before]) => before)), median(rounds.map(([, after]) => after))];
}

/**
 * The p95 of both, asked in turn so that a noisy moment hits both. A very slow one is asked for five seconds.
 */
async function ask(small: string, big: string, requests: number): Promise<[number, number]> {
  const times: [number, number][] = [];
  const until = performance.now() + 5_000;
  for (let n = 0; n < requests && performance.now() < until; n++) times.push([await timed(small), await timed(big)]);
  return [percentile(times.map(([before]) => before), 95), percentile(times.map(([, after]) => after), 95)]; // prettier-ignore
}

async function timed(url: string): Promise<number> {
  const started = performance.now();
  const response = await fetch(url, { headers: { authorization: BEARER } });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return performance.now() - started;
}
