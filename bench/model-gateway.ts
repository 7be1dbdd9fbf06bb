// What the model gateway adds until the first word of a streamed chat, against the provider directly: one
// stream after the other, 50 open at a time that each speak for two seconds, and how many a second there can
// be where 50 ask without a pause. The provider is on this machine and says its first word at once, so that
// all of the difference is ours. The last also beside LiteLLM, which counts nothing here and writes to no
// database. `node bench/model-gateway.ts`
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
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
import { freePort } from '#stack/ports.ts';
import { pythonWith } from '#test/support/languages/python.ts';
import { startProvider } from '#test/support/provider/provider.ts';
import { benchCluster } from './database.ts';
import { type BenchPart, percentile, startPart } from './load.ts';
import { median, printAdded, printRatio, QUICK, rounds } from './ratio.ts';

const SELF = fileURLToPath(import.meta.url);
const LITELLM = '1.108.7';
const AT_ONCE = 50;
const WORD_EVERY_MS = 250;
/** With the first, at once, they last two seconds. */
const WORDS = 9;
const PRICE = { input_micros_per_mtok: 1_000_000, output_micros_per_mtok: 10_000_000 };

const context = (): Promise<TestContext> => {
  const { BENCH_DATABASE, BENCH_STATE, BENCH_PROVIDER } = process.env;
  return testContext({ databaseUrl: String(BENCH_DATABASE), folder: String(BENCH_STATE), llmLocalHosts: String(BENCH_PROVIDER).split(',') });
};

const PARTS: Record<string, () => Promise<string>> = {
  prompt: async () => (await startProvider()).url,
  paced: async () => {
    const provider = await startProvider();
    provider.words = Array.from({ length: WORDS }, () => 'word ');
    provider.pace = () => delay(WORD_EVERY_MS);
    return provider.url;
  },
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

interface Load {
  name: string;
  atOnce: number;
  streams: number;
  /** Their first streams begin one after the other over this time. */
  spreadMs: number;
}

async function streams(to: Asking, { atOnce, streams: count, spreadMs }: Load): Promise<{ took: number[]; perSecond: number }> {
  const took: number[] = [];
  const began = performance.now();
  let left = count;
  const work = async (at: number): Promise<void> => {
    await delay((spreadMs * at) / atOnce);
    while (left > 0) {
      left -= 1;
      took.push(await firstWord(to));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, at) => work(at)));
  return { took, perSecond: (count * 1000) / (performance.now() - began) };
}

async function compare(load: Load, direct: Asking, through: Asking, targets: [number, number][]): Promise<void> {
  const all = { direct: [] as { took: number[]; perSecond: number }[], through: [] as { took: number[]; perSecond: number }[] };
  await Promise.all([streams(direct, load), streams(through, load)]);
  for (let round = 0; round < rounds(5); round += 1) {
    all.direct.push(await streams(direct, load));
    all.through.push(await streams(through, load));
  }
  const rate = (side: 'direct' | 'through'): string => median(all[side].map(({ perSecond }) => perSecond)).toFixed(0);
  console.log(`${load.name}: directly ${rate('direct')} streams/s, through the gateway ${rate('through')}`);
  for (const [hundredths, target] of targets) {
    const added = all.through.map(({ took }, at) => percentile(took, hundredths) - percentile(all.direct[at]?.took ?? [], hundredths));
    printAdded({ name: `first word, ${load.name}, p${hundredths} over direct`, ms: median(added), spread: [Math.min(...added), Math.max(...added)], target });
  }
}

interface LiteLlm extends BenchPart {
  key: string;
}

/** Its proxy as its documentation starts it: one worker, as the gateway is one process. */
async function startLiteLlm(providerUrl: string, folder: string): Promise<LiteLlm> {
  const python = await pythonWith(`litellm-${LITELLM}`, [`litellm[proxy]==${LITELLM}`]);
  const key = 'sk-litellm';
  const settings = {
    model_list: [{ model_name: 'm-1', litellm_params: { model: 'openai/m-1', api_base: providerUrl, api_key: 'sk-bench' } }],
    general_settings: { master_key: key },
  };
  const file = join(folder, 'litellm.yaml');
  await writeFile(file, JSON.stringify(settings));
  const port = await freePort();
  const args = ['--config', file, '--host', '127.0.0.1', '--port', String(port), '--telemetry', 'False'];
  const child = spawn(python, ['-c', 'from litellm import run_server; run_server()', ...args], { stdio: 'ignore', cwd: folder });
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries += 1) {
    const answered = await fetch(`${url}/health/liveliness`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (answered) break;
    if (tries === 120 || child.exitCode !== null) throw new Error('LiteLLM did not start');
    await delay(500);
  }
  return {
    url,
    key,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function compareWithLiteLlm(through: Asking, providerUrl: string, folder: string): Promise<void> {
  const peer = await startLiteLlm(providerUrl, folder);
  const theirs: Asking = { pool: new Pool(peer.url, { connections: AT_ONCE }), path: '/v1/chat/completions', key: peer.key };
  const load: Load = { name: `${AT_ONCE} without a pause, streams a second`, atOnce: AT_ONCE, streams: QUICK ? 100 : 300, spreadMs: 0 };
  const [ours, others]: [number[], number[]] = [[], []];
  await streams(theirs, load);
  await streams(through, load);
  for (let round = 0; round < rounds(5); round += 1) {
    others.push((await streams(theirs, load)).perSecond);
    ours.push((await streams(through, load)).perSecond);
  }
  await theirs.pool.destroy();
  await peer.stop();
  const ratios = ours.map((rate, at) => rate / (others[at] ?? Number.NaN));
  console.log(`${load.name}: LiteLLM ${median(others).toFixed(0)} streams/s, the gateway ${median(ours).toFixed(0)}`);
  printRatio({ name: `${load.name} over LiteLLM ${LITELLM}`, ratio: median(ratios), unit: 'x', spread: [Math.min(...ratios), Math.max(...ratios)], target: 3 });
}

async function main(): Promise<void> {
  const stateDir = await stateFolder();
  const cluster = await benchCluster();
  const BENCH_DATABASE = await cluster.create();
  const providers = { prompt: await startPart(SELF, 'prompt'), paced: await startPart(SELF, 'paced') };
  const hosts = Object.values(providers).map(({ url }) => new URL(url).host);
  const env = { BENCH_DATABASE, BENCH_STATE: stateDir, BENCH_PROVIDER: hosts.join() };
  Object.assign(process.env, env);
  const it = await context();
  const ada = await it.user('ada');
  const price = { ...PRICE, cached_input_micros_per_mtok: 0 };
  const common = { probe: false, monthly_budget_micros: 1_000_000_000, agent_run_budget_micros: null, provider: 'openai_compatible' as const };
  const api = await startPart(SELF, 'api', env);
  const pools: Pool[] = [];
  const asking = (url: string, path: string, key: string): Asking => {
    const pool = new Pool(url, { connections: AT_ONCE });
    pools.push(pool);
    return { pool, path, key };
  };
  /** The provider, directly and through the gateway. */
  const sides = async (name: keyof typeof providers): Promise<[Asking, Asking]> => {
    const { url } = providers[name];
    await putCredential(ada, { name, default: name === 'prompt', base_url: url, api_key: 'sk-bench', model: 'm-1', price, ...common });
    const agent = await liveAgent(it.ctx, ada.actor.user_id);
    const manifest = JSON.stringify({ models: { paid_by: 'owner', credential: name, run_budget_micros: 1_000_000_000 } });
    await it.ctx.db('deployments').where({ deploy_id: agent.deployId }).update({ manifest });
    // Fewer run than the agent may have under way at once.
    const key = await mintRunCredential(it.ctx.drivers.vault, runOf(it.ctx, agent, ada.actor.user_id).actor, Date.now() + 3_600_000);
    return [asking(new URL(url).origin, '/v1/chat/completions', key), asking(api.url, `${MODEL_BASE_PATHS.openai}/chat/completions`, key)];
  };
  const [prompt, paced] = [await sides('prompt'), await sides('paced')];
  const spreadMs = WORD_EVERY_MS * (WORDS - 1);
  await compare({ name: 'one at a time', atOnce: 1, streams: QUICK ? 200 : 1_000, spreadMs: 0 }, ...prompt, [
    [50, 5],
    [99, 25],
  ]);
  await compare({ name: `${AT_ONCE} open`, atOnce: AT_ONCE, streams: QUICK ? 200 : 400, spreadMs }, ...paced, [
    [50, 5],
    [99, 25],
  ]);
  await compare({ name: `${AT_ONCE} without a pause`, atOnce: AT_ONCE, streams: QUICK ? 200 : 1_000, spreadMs: 0 }, ...prompt, []);
  await compareWithLiteLlm(prompt[1], providers.prompt.url, stateDir);
  await Promise.all([api.stop(), ...Object.values(providers).map((one) => one.stop()), ...pools.map((pool) => pool.destroy())]);
  await it.close();
  await cluster.stop();
  await rm(stateDir, { recursive: true, force: true });
}

const [, , role] = process.argv;
const part = role === undefined ? undefined : PARTS[role];
if (part) process.send?.(await part());
else await main();
