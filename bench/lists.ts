// `node bench/lists.ts [rows]`: list routes with 1,000 rows and with 1,000,000 (or `rows`). Target: p95 at most 1.5 times.
import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import { createPool } from '../db/pool.ts';
import { ACCOUNT, BEARER, serveApi } from './api-part.ts';
import { benchDatabase } from './database.ts';
import { fillLists, JOB_ID } from './lists-data.ts';
import { startPart } from './load.ts';

const file = fileURLToPath(import.meta.url);
const SMALL = 1_000;
const REQUESTS = 150;

const LISTS: Record<string, string> = {
  'agents.mine': '/v1/agents/mine?limit=100',
  'agents.mine, page 2': `/v1/agents/mine?limit=100&cursor=${cursor(['agent-5'])}`,
  'agents.list': '/v1/agents?limit=100',
  'agents.search': '/v1/agents/search?q=number%20777',
  'agents.search, nothing asked': '/v1/agents/search',
  'agents.deployments': '/v1/agents/agent-1/deployments',
  'public.agents': '/v1/public/agents',
  'public.agents, by tag': '/v1/public/agents?tag=demo',
  'workLedger.activity': '/v1/me/activity',
  'workLedger.activity, one agent': '/v1/me/activity?agent=agent-1',
  'workLedger.events': `/v1/me/jobs/${JOB_ID}/events?limit=100`,
  'agentReceipts.list': '/v1/agents/agent-1/receipts',
};

if (process.argv[2] === 'api') process.send?.(await serveApi(process.env.BENCH_DATABASE ?? ''));
else await compare(Number(process.argv[2] ?? 1_000_000));

async function compare(large: number): Promise<void> {
  const small = await measure(SMALL);
  const big = await measure(large);
  let missed = 0;
  for (const [name, before] of small) {
    const after = big.get(name) ?? Number.NaN;
    const ratio = after / before;
    if (!(ratio <= 1.5)) missed++;
    process.stdout.write(`${name.padEnd(32)} p95 ${before.toFixed(1)} ms → ${after.toFixed(1)} ms  ${ratio.toFixed(2)}x ${ratio <= 1.5 ? '' : 'missed'}\n`);
  }
  process.stdout.write(`${SMALL} → ${large} rows; target 1.5x: ${missed === 0 ? 'met' : `missed by ${missed} of ${small.size}`}\n`);
}

async function measure(rows: number): Promise<Map<string, number>> {
  const database = await benchDatabase();
  try {
    const db: Knex = createPool({ connectionString: database.url });
    await db('users').insert(ACCOUNT);
    await fillLists(db, rows);
    await db.destroy();
    const api = await startPart(file, 'api', { BENCH_DATABASE: database.url });
    try {
      const seen = new Map<string, number>();
      for (const [name, path] of Object.entries(LISTS)) seen.set(name, await p95(`${api.url}${path}`));
      return seen;
    } finally {
      await api.stop();
    }
  } finally {
    await database.stop();
  }
}

/** Milliseconds; one request after the other, the first twenty not counted, none for longer than 20 s. */
async function p95(url: string): Promise<number> {
  const times: number[] = [];
  const until = performance.now() + 20_000;
  for (let n = 0; n < REQUESTS + 20 && performance.now() < until; n++) {
    const started = performance.now();
    const response = await fetch(url, { headers: { authorization: BEARER } });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    times.push(performance.now() - started);
  }
  const counted = times.slice(Math.min(20, times.length - 1)).toSorted((a, b) => a - b);
  return counted[Math.floor(counted.length * 0.95)] ?? Number.NaN;
}

function cursor(key: (string | number)[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}
