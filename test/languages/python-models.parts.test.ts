// A Python agent behind the sidecar that asks models through the gateway, with the official clients as pip
// installs them: one sends by httpx2, the other by httpx.
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modelEnvironment } from '#contract/wire/model-use.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { createWorld, type World } from '../api/world.ts';
import { startProvider, type Provider } from '../support/provider/provider.ts';
import { PYTHON, pythonWith, SDK, WITHOUT_PYTHON } from '../support/languages/python.ts';
import { serveWorker, type ServedWorker } from '../support/languages/sidecar.ts';
import { liveAgent, runOf } from '../support/runs.ts';

const CLIENTS = { openai: '3.57.0', anthropic: '2.13.0' };
const KEY = 'the-key-of-the-agent';
const AGENTS = join(import.meta.dirname, 'agents');
const run = promisify(execFile);

describe.skipIf(!PYTHON)(`models for Python (${PYTHON ?? WITHOUT_PYTHON})`, () => {
  let world: World;
  let provider: Provider;
  let python: string;
  let dsl: unknown;
  let ada: string;
  beforeAll(async () => {
    provider = await startProvider();
    world = await createWorld({ llmLocalHosts: [provider.host] });
    ada = (await world.ctx.db('users').where('email', 'like', 'ada-%').first('user_id'))?.user_id ?? '';
    const put = (name: string, kind: 'openai' | 'anthropic') =>
      world.as('ada').llmCreds.put({
        body: { name, provider: `${kind}_compatible`, base_url: provider.url, api_key: `sk-${kind}-0123456789abcdefghij`, model: 'm-1' },
      });
    await put('main', 'openai');
    await put('claude', 'anthropic');
    const packages = Object.entries(CLIENTS).map(([name, version]) => `${name}==${version}`);
    python = await pythonWith(`models-${Object.values(CLIENTS).join('-')}`, ['-e', `${SDK}[http]`, ...packages]);
    dsl = JSON.parse((await run(python, ['-m', 'svc', 'compile', 'asker:Asker'], { cwd: AGENTS })).stdout);
  });
  afterAll(async () => {
    await world?.close();
    await provider?.close();
  });

  const serve = (): Promise<ServedWorker> =>
    serveWorker({
      dsl,
      apiKey: KEY,
      worker: { command: python, args: ['-m', 'svc', 'worker', 'asker:Asker'], cwd: AGENTS, env: { SVC_CP_URL: world.url, ...modelEnvironment(world.url) } },
    });
  /** Of a new run of a new agent of Ada that declares models. */
  async function runToken(): Promise<string> {
    const agent = await liveAgent(world.ctx, ada);
    const manifest = JSON.stringify({ models: { paid_by: 'owner' } });
    await world.ctx.db('deployments').where({ deploy_id: agent.deployId }).update({ manifest });
    return mintRunCredential(world.ctx.drivers.vault, runOf(world.ctx, agent, ada).actor, Date.now() + 60_000);
  }
  const asRun = (token?: string): RequestInit => ({
    headers: { authorization: `Bearer ${KEY}`, 'x-svc-run-id': `run_${randomUUID()}`, ...(token !== undefined && { 'x-svc-run-token': token }) },
  });

  /**
   * The gateway may hold a word back until the next piece of its stream, to see a key in it: the pieces
   * without their words, and the words of each kind of piece.
   */
  function apart(read: unknown): { pieces: unknown; words: Record<string, string> } {
    const words: Record<string, string> = {};
    const pieces: unknown = JSON.parse(JSON.stringify(read), function (this: { type?: string }, name, value: unknown) {
      if (typeof value !== 'string') return value;
      // What was said so far, in each piece of some streams.
      if (name === 'snapshot') return '';
      if (!['content', 'delta', 'text'].includes(name)) return value;
      const kind = `${this.type ?? ''} ${name}`;
      words[kind] = (words[kind] ?? '') + value;
      return '';
    });
    return { pieces, words };
  }

  it('what the clients read is the same through the gateway, streamed and whole, also in threads', async () => {
    const served = await serve();
    const token = await runToken();
    for (const [skill, base] of [
      ['openai', provider.url],
      ['anthropic', provider.url.replace(/\/v1$/, '')],
      ['threaded', provider.url],
    ] as const) {
      const through = await served.result(skill, {}, asRun(token));
      expect(apart(through)).toEqual(apart(await served.result(skill, { base }, asRun())));
      expect((through as unknown[]).length).toBeGreaterThan(3);
    }
    const purposes = await world.ctx.db('llm_usage').orderBy('usage_id').pluck('purpose');
    expect(purposes).toEqual(['chat', 'chat', 'responses', 'embeddings', 'messages', 'chat', 'messages']);
    expect(JSON.stringify(provider.asked.map(({ headers }) => headers))).not.toContain('svc_run_');
  });

  it('two runs at the same time are counted each as its own; without one there is no answer', async () => {
    const served = await serve();
    await world.ctx.db('llm_usage').delete();
    const tokens = await Promise.all([runToken(), runToken()]);
    await Promise.all(tokens.map((token) => served.result('threaded', {}, asRun(token))));
    const counted = await world.ctx.db('llm_usage').select('agent_name').count({ count: '*' }).groupBy('agent_name');
    expect(counted.map(({ count }) => Number(count))).toEqual([2, 2]);
    await expect(served.result('openai', {}, asRun())).rejects.toThrow();
    expect(served.log.map((entry) => JSON.stringify(entry)).join('\n')).toContain('Send the credential of the current run');
    expect(await world.ctx.db('llm_usage').where({ state: 'running' })).toEqual([]);
  });
});
