// What the model gateway adds until the first word of a streamed chat: one stream at a time, and 50 at once, against the provider directly. The provider is
// on this machine and answers at once, so that all of the difference is ours. `node bench/model-gateway.ts`
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { createLogger } from '#api/http/log.ts';
import { modelGateway } from '#api/model-gateway.ts';
import { createApiServer } from '#api/server.ts';
import { MODEL_BASE_PATHS } from '#contract/wire/model-use.ts';
import { putCredential } from '#core/money/llm/put.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { stateFolder, testContext, type TestContext } from '#test/support/context.ts';
import { liveAgent, runOf } from '#test/support/runs.ts';
import { startProvider } from '#test/support/provider/provider.ts';
import { benchCluster } from './database.ts';
import { percentile, startPart } from './load.ts';
import { median, printAdded, QUICK, rounds } from './ratio.ts';

const SELF = fileURLToPath(import.meta.url);
const STREAMS = QUICK ? 200 : 1_000;
const AT_ONCE = 50;
const PRICE = { input_micros_per_mtok: 1_000_000, output_micros_per_mtok: 10_000_000 };

const context = (): Promise<TestContext> => {
  const { BENCH_DATABASE, BENCH_STATE, BENCH_PROVIDER } = process.env;
  return testContext({ databaseUrl: String(BENCH_DATABASE), folder: String(BENCH_STATE), llmLocalHosts: [String(BENCH_PROVIDER)] });
};

const PARTS: Record<string, () => Promise<string>> = {
  provider: async () => (await startProvider()).url,
  api: async () => {
    const { ctx } = await context();
    const stopping = new AbortController();
    const log = createLogger('info', { write: () => undefined });
    const api = (_request: unknown, response: { end(): unknown }): unknown => response.end();
    return createApiServer({ fronts: [modelGateway(ctx, { log, stopping: stopping.signal })], api, stopping }).listen(0, '127.0.0.1');
  },
};

interface Asking {
  pool: Pool;
  path: string;
  key: string;
}

/** Milliseconds until the first word. */
async function firstWord({ pool, path, key }: Asking): Promise<number> {
  const body = JSON.stringify({ model: 'm-1', messages: [{ role: 'user', content: 'Where am I?' }], stream: true, max_tokens: 100 });
  const began = performance.now();
  const answer = await pool.request({ method: 'POST', path, headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' }, body });
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${await answer.body.text()}`);
  let first = Number.NaN;
  for await (const _ of answer.body) if (Number.isNaN(first)) first = performance.now() - began;
  return first;
}

async function streams(to: Asking, atOnce: number): Promise<{ took: number[]; perSecond: number }> {
  const took: number[] = [];
  const began = performance.now();
  let left = STREAMS;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      took.push(await firstWord(to));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { took, perSecond: (STREAMS * 1000) / (performance.now() - began) };
}

async function main(): Promise<void> {
  const stateDir = await stateFolder();
  const cluster = await benchCluster();
  const BENCH_DATABASE = await cluster.create();
  const provider = await startPart(SELF, 'provider');
  const env = { BENCH_DATABASE, BENCH_STATE: stateDir, BENCH_PROVIDER: new URL(provider.url).host };
  Object.assign(process.env, env);
  const it = await context();
  const ada = await it.user('ada');
  const price = { ...PRICE, cached_input_micros_per_mtok: 0 };
  const common = { default: true, probe: false, monthly_budget_micros: 1_000_000_000, agent_run_budget_micros: null };
  await putCredential(ada, { name: 'main', provider: 'openai_compatible', base_url: provider.url, api_key: 'sk-bench', model: 'm-1', price, ...common });
  const agent = await liveAgent(it.ctx, ada.actor.user_id);
  await it.ctx
    .db('deployments')
    .where({ deploy_id: agent.deployId })
    .update({ manifest: JSON.stringify({ models: { paid_by: 'owner', run_budget_micros: 1_000_000_000 } }) });
  // Fewer run than the agent may have under way at once.
  const key = await mintRunCredential(it.ctx.drivers.vault, runOf(it.ctx, agent, ada.actor.user_id).actor, Date.now() + 3_600_000);
  const api = await startPart(SELF, 'api', env);
  const asking = (url: string, path: string): Asking => ({ pool: new Pool(url, { connections: AT_ONCE }), path, key });
  const [theirs, ours] = [asking(new URL(provider.url).origin, '/v1/chat/completions'), asking(api.url, `${MODEL_BASE_PATHS.openai}/chat/completions`)];
  for (const atOnce of [1, AT_ONCE]) {
    await Promise.all([streams(theirs, atOnce), streams(ours, atOnce)]);
    const seen: { direct: Awaited<ReturnType<typeof streams>>; through: Awaited<ReturnType<typeof streams>> }[] = [];
    for (let round = 0; round < rounds(5); round += 1) seen.push({ direct: await streams(theirs, atOnce), through: await streams(ours, atOnce) });
    const rate = (side: 'direct' | 'through'): string => median(seen.map((one) => one[side].perSecond)).toFixed(0);
    console.log(`${atOnce} at once: directly ${rate('direct')} streams/s, through the gateway ${rate('through')}`);
    for (const [hundredths, target] of [
      [50, 5],
      [99, 25],
    ] as const) {
      const added = seen.map((one) => percentile(one.through.took, hundredths) - percentile(one.direct.took, hundredths));
      printAdded({
        name: `first word, ${atOnce} at once, p${hundredths} over direct`,
        ms: median(added),
        spread: [Math.min(...added), Math.max(...added)],
        target,
      });
    }
  }
  await Promise.all([api.stop(), provider.stop(), theirs.pool.destroy(), ours.pool.destroy()]);
  await it.close();
  await cluster.stop();
  await rm(stateDir, { recursive: true, force: true });
}

const [, , role] = process.argv;
const part = role === undefined ? undefined : PARTS[role];
if (part) process.send?.(await part());
else await main();
