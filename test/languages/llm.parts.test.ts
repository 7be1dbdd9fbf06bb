// ctx.llm of an agent in TypeScript and of one in Python, over the real gateway, with a provider behind it
// that speaks both wires.
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ModelUse } from '#contract/wire/model-use.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { controlPlane } from '#sdk/typescript/platform/control-plane.ts';
import { createWorld, type World } from '../api/world.ts';
import { startProvider, type Provider } from '../support/provider/provider.ts';
import { PYTHON, pythonWithSdk, WITHOUT_PYTHON } from '../support/languages/python.ts';
import { serveAgent, serveWorker, type ServedWorker } from '../support/languages/sidecar.ts';
import { liveAgent, runOf } from '../support/runs.ts';
import { Writer } from './agents/writer.ts';

const KEY = 'the-key-of-the-agent';
const AGENTS = join(import.meta.dirname, 'agents');
const USAGE = { input_tokens: 100, cached_input_tokens: 40, output_tokens: 20 };
const PRICE = { input_micros_per_mtok: 1_000_000, cached_input_micros_per_mtok: 100_000, output_micros_per_mtok: 10_000_000 };
const run = promisify(execFile);

let world: World;
let provider: Provider;
let ada: string;
beforeAll(async () => {
  provider = await startProvider();
  world = await createWorld({ llmLocalHosts: [provider.host] });
  ada = (await world.ctx.db('users').where('email', 'like', 'ada-%').first('user_id'))?.user_id ?? '';
  for (const [name, kind] of [
    ['main', 'openai'],
    ['claude', 'anthropic'],
  ] as const)
    // prettier-ignore
    await world.as('ada').llmCreds.put({
      body: { name, provider: `${kind}_compatible`, base_url: provider.url, api_key: `sk-${kind}-0123456789abcdefghij`, model: 'm-1', price: PRICE },
    });
});
afterAll(async () => {
  await world?.close();
  await provider?.close();
});
beforeEach(async () => {
  provider.asked.length = 0;
  provider.left = 0;
  provider.words = ['Hel', 'lo, ', 'wörld ', '🙂'];
  provider.pace = async () => undefined;
  for (const table of ['llm_usage', 'llm_spending', 'llm_caps', 'llm_rates']) await world.ctx.db(table).delete();
  vi.stubEnv('SVC_MODEL', 'm-2');
});
afterEach(() => vi.unstubAllEnvs());

/** Of a new run of a new agent of Ada that declares this; null: no models. */
async function asRun(models: Partial<ModelUse> | null = {}): Promise<{ headers: Record<string, string> }> {
  const agent = await liveAgent(world.ctx, ada);
  const manifest = JSON.stringify(models && { models: { paid_by: 'owner', ...models } });
  await world.ctx.db('deployments').where({ deploy_id: agent.deployId }).update({ manifest });
  const token = await mintRunCredential(world.ctx.drivers.vault, runOf(world.ctx, agent, ada).actor, Date.now() + 60_000);
  return { headers: { authorization: `Bearer ${KEY}`, 'x-svc-run-id': `run_${randomUUID()}`, 'x-svc-run-token': token } };
}
const uses = () => world.ctx.db('llm_usage').orderBy('usage_id');

const LANGUAGES: [string, () => Promise<ServedWorker>][] = [
  ['TypeScript', () => serveAgent(new Writer(), { apiKey: KEY, platform: controlPlane({ url: world.url }) })],
  [
    'Python',
    async () => {
      const python = await pythonWithSdk();
      const dsl: unknown = JSON.parse((await run(python, ['-m', 'svc', 'compile', 'writer:Writer'], { cwd: AGENTS })).stdout);
      const worker = { command: python, args: ['-m', 'svc', 'worker', 'writer:Writer'], cwd: AGENTS, env: {} };
      return serveWorker({ dsl, apiKey: KEY, worker, platform: controlPlane({ url: world.url }) });
    },
  ],
];

describe.skipIf(!PYTHON).each(LANGUAGES)(`ctx.llm in %s (${PYTHON ?? WITHOUT_PYTHON})`, (_language, serve) => {
  it('answers whole, in pieces and by schema, each counted once; the credential stays here', async () => {
    const agent = await serve();
    const whole = { text: 'Hello, wörld 🙂', tool_calls: [], finish_reason: 'stop', usage: USAGE };
    for (const model of ['m-1', 'claude-1']) {
      expect(await agent.result('ask', { model, max_tokens: 50 }, await asRun())).toEqual({ ...whole, model });
      const response = await agent.post('tell', { model }, { headers: { ...(await asRun()).headers, accept: 'text/event-stream' } });
      const text = await response.text();
      const deltas = [...text.matchAll(/^data: (.*"text_delta".*)$/gm)].map(
        ([, data = '']) => (JSON.parse(data) as { payload: { text: string } }).payload.text,
      );
      // The gateway may hold a word back until the next piece, to see a key in it.
      expect(deltas.join('')).toBe(provider.words.join(''));
      expect(deltas.length).toBeGreaterThan(2);
    }
    // The deployment's own model.
    expect(await agent.result('ask', {}, await asRun())).toEqual({ ...whole, model: 'm-2' });
    expect(await uses()).toMatchObject(
      ['chat', 'chat', 'messages', 'messages', 'chat'].map((purpose) => ({ purpose, state: 'ok', input_tokens: 100, output_tokens: 20 })),
    );
    provider.words = ['{"item":"tea",', '"cups":2}'];
    expect(await agent.result('order', {}, await asRun())).toEqual({ item: 'tea', cups: 2 });
    provider.words = ['{"item":"tea"}'];
    expect(await agent.refusal('order', {}, await asRun())).toMatchObject({ code: 'model_answer_invalid', issues: [{ path: ['cups'] }] });
    expect(JSON.stringify(provider.asked.map(({ headers }) => headers))).not.toContain('svc_run_');
  });

  it("the gateway's refusals keep their code and words, caught or not", async () => {
    const agent = await serve();
    const spent = await asRun({ run_budget_micros: 1 });
    expect(await agent.result('refused', { model: 'm-1' }, spent)).toEqual(['llm_cap_reached', 402, expect.stringContaining("the run's budget")]);
    expect(await agent.refusal('ask', { model: 'm-1' }, spent)).toMatchObject({ code: 'model_failed', message: expect.stringContaining("the run's budget") });
    const allowed = await asRun({ allow: ['m-1'] });
    for (const model of ['m-2', 'claude-1'])
      expect(await agent.result('refused', { model }, allowed)).toEqual(['model_not_allowed', 403, expect.stringMatching(/only m-1$/)]);
    expect(await agent.result('refused', { model: 'm-1' }, await asRun(null))).toEqual(['models_not_declared', 403, expect.anything()]);
    expect(provider.asked).toEqual([]);
  });

  it('a reader who leaves, and a caller who does, end the request at the endpoint; what was said is counted', async () => {
    const agent = await serve();
    provider.pace = async (at) => (at < 2 ? undefined : new Promise(() => undefined));
    expect(await agent.result('glance', { model: 'm-1' }, await asRun())).toBe('Hello, ');
    await vi.waitFor(() => expect(provider.left).toBe(1));
    const gone = new AbortController();
    const { headers } = await asRun();
    const response = await agent.post('tell', { model: 'claude-1' }, { headers: { ...headers, accept: 'text/event-stream' }, signal: gone.signal });
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) if (chunk.includes('text_delta')) break;
    gone.abort();
    await vi.waitFor(() => expect(provider.left).toBe(2));
    await vi.waitFor(async () => expect(await uses()).toMatchObject([{ state: 'cancelled' }, { state: 'cancelled' }]));
  });
});
