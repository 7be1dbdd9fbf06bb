// Streams of models through the gateway while it, its database and its callers are killed: each request is
// counted once, nothing stays reserved, and no budget is passed. What the provider saw is looked at from
// outside.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '#contract/client.ts';
import type { Contract } from '#contract/index.ts';
import { sweepUses } from '#core/money/llm/meter.ts';
import { createPool } from '#db/pool.ts';
import { type Provider, startProvider } from '../support/provider/provider.ts';
import type { Outcome } from './operations.ts';
import { until } from './persistent.ts';
import type { World } from './world.ts';

export const MODEL = 'm-1';
/**
 * One dollar for a million tokens in, ten for a million out. An answer of the provider costs 264
 * micro-dollars, a request reserves less than 600.
 */
const PRICE = { input_micros_per_mtok: 1_000_000, cached_input_micros_per_mtok: 100_000, output_micros_per_mtok: 10_000_000 };
/** For two requests at the same time, not for the three that a run makes. */
export const RUN_BUDGET_MICROS = 1_200;
export const REQUESTS = 3;
const MONTHLY_BUDGET_MICROS = 5_000_000;
/** Longer than the platform waits before it gives a use up for lost. */
const LATER_MS = 21 * 60_000;

/** Speaks for some two seconds, so that most kills hit streams. */
export async function chattyProvider(): Promise<Provider> {
  const provider = await startProvider();
  provider.words = Array.from({ length: 24 }, (_, n) => `word${n} `);
  provider.pace = () => sleep(90);
  return provider;
}

export async function giveModel(api: Client<Contract>, provider: Provider): Promise<void> {
  const endpoint = { provider: 'openai_compatible' as const, base_url: provider.url, api_key: 'sk-of-the-owner-0123456789', model: MODEL };
  const body = { name: 'main', ...endpoint, price: PRICE, monthly_budget_micros: MONTHLY_BUDGET_MICROS };
  await until('set a model', () => api.llmCreds.put({ body }));
}

export interface ModelHits {
  /** The gateway or its database was hit: what was under way there is settled late, by the sweep. */
  gateway: boolean;
  /** The worker was killed: it asks models itself for contestants that are models. */
  worker: boolean;
  marks: readonly string[];
}

/** A round is over. */
export async function ofModels(world: World, outcomes: readonly Outcome[], hits: ModelHits): Promise<string[]> {
  const faults = hits.gateway || hits.worker ? [] : await stillReserved(world);
  await sweep(world);
  for (const outcome of outcomes.filter(({ kind }) => kind === 'stream')) faults.push(...(await ofRun(world, outcome, hits)));
  for (const [what, sql] of Object.entries(queries)) {
    const { rows } = await world.db.query<{ id: string }>(sql);
    if (rows.length > 0) faults.push(`${what}: ${rows.slice(0, 5).map(({ id }) => id).join(', ')}`); // prettier-ignore
  }
  return faults;
}

/** One use for each request that the gateway took, whatever became of it. */
async function ofRun({ db, outside, vm }: World, { token, runId, state }: Outcome, { gateway, marks }: ModelHits): Promise<string[]> {
  if (runId === undefined) return [];
  const { rows } = await db.query<{ state: string }>('select state from llm_usage where run_id = $1', [runId]);
  const asked = outside.provider.asked.map(({ body }) => promptIn(body)).filter((prompt) => prompt.startsWith(`${token}:`));
  const counted = `${rows.length} uses (${rows.map((row) => row.state).join(', ')}), ${asked.length} requests at the provider`;
  const about = (what: string): string => `stream ${token} (${runId}) ${what}: ${counted}`;
  const faults: string[] = [];
  if (new Set(asked).size !== asked.length) faults.push(about('was asked twice'));
  if (rows.length > REQUESTS) faults.push(about('is counted more than once'));
  if (!gateway && rows.length !== asked.length) faults.push(about('is not counted once for each request'));
  if (!gateway && state === 'succeeded' && asked.length === 0) faults.push(about('never reached a model'));
  const read = marks.filter((line) => line.startsWith(`${token} `) && / model\.\d\.stop$/.test(line)).length;
  if (rows.length < read) faults.push(about(`was read ${read} times to its end`));
  const isRefused = marks.some((line) => line.startsWith(`${token} `) && line.endsWith('.llm_cap_reached'));
  if (!gateway && !vm && state === 'succeeded' && !isRefused) faults.push(about('was never stopped by the budget of its run'));
  return faults;
}

function promptIn({ messages }: Record<string, unknown>): string {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  return typeof last === 'object' && last !== null && 'content' in last && typeof last.content === 'string' ? last.content : '';
}

async function stillReserved({ db }: World): Promise<string[]> {
  for (const end = Date.now() + 30_000; ;) {
    const { rows } = await db.query<{ usage_id: string }>(`select usage_id from llm_usage where state = 'running'`);
    if (rows.length === 0) return [];
    if (Date.now() > end) return [`uses that nobody settled, though nothing there was killed: ${rows.map(({ usage_id }) => usage_id).join(', ')}`];
    await sleep(250);
  }
}

/**
 * What the platform's own loop does with uses whose process is gone, without the twenty minutes that it
 * waits.
 */
async function sweep({ connectionString }: World): Promise<void> {
  const db = createPool({ connectionString, max: 1 });
  try {
    await until('sweep uses', () => sweepUses({ db, clock: () => Date.now() + LATER_MS }));
  } finally {
    await db.destroy();
  }
}

const queries: Record<string, string> = {
  'uses that are neither settled nor swept': `select usage_id as id from llm_usage where ended_at is null or state = 'running'`,
  'money of a credential that is still reserved': `select credential_id || ' ' || reserved_micros as id from llm_spending where reserved_micros <> 0`,
  'money of a run that is still reserved': `select cap_id || ' ' || reserved_micros as id from llm_caps where reserved_micros <> 0`,
  'credentials whose spending is not the sum of their uses': `select s.credential_id || ' spent ' || s.spent_micros || ', uses cost ' || coalesce(sum(u.cost_micros), 0) as id
     from llm_spending s left join llm_usage u on u.credential_id = s.credential_id and left(u.day, 7) = s.month
     group by s.credential_id, s.month, s.spent_micros having s.spent_micros <> coalesce(sum(u.cost_micros), 0)`,
  'runs whose spending is not the sum of their uses': `select p.cap_id || ' spent ' || p.spent_micros || ', uses cost ' || coalesce(sum(u.cost_micros), 0) as id
     from llm_caps p left join llm_usage u on p.cap_id = any(u.cap_ids)
     group by p.cap_id, p.spent_micros having p.spent_micros <> coalesce(sum(u.cost_micros), 0)`,
  'runs over their budget': `select cap_id || ' ' || spent_micros as id from llm_caps where spent_micros > least(limit_micros, ${RUN_BUDGET_MICROS})`,
  'credentials over their budget': `select credential_id || ' ' || spent_micros as id from llm_spending where spent_micros > ${MONTHLY_BUDGET_MICROS}`,
};
