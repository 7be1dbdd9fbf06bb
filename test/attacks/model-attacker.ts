// Mallory, who owns an agent that Ada calls: Ada pays for its models as far as she allows it. The gateway is
// the API's own, the provider is on this machine.
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { MODEL_BASE_PATHS, type ModelUse } from '#contract/wire/model-use.ts';
import type { RunActor } from '#core/kernel/ctx.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { createWorld, type World } from '../api/world.ts';
import { type LiveAgent, liveAgent, runOf, type TestRun } from '../support/runs.ts';
import { type Provider, startProvider } from '../support/provider/provider.ts';

/** Of Ada. They are nowhere but at her provider. */
export const KEYS = { openai: 'sk-of-ada-0123456789abcdefghij', anthropic: 'sk-ant-of-ada-0123456789abcdef' };
/**
 * One dollar for a million tokens in, ten dollars out: what the provider counts of a chat costs 60 + 4 + 200
 * micro-dollars.
 */
export const PRICE = { input_micros_per_mtok: 1_000_000, cached_input_micros_per_mtok: 100_000, output_micros_per_mtok: 10_000_000 };
export const CHAT_COST = 264;
export const QUESTION = [{ role: 'user', content: 'Where am I?' }];
export const PATHS = {
  chat: `${MODEL_BASE_PATHS.openai}/chat/completions`,
  responses: `${MODEL_BASE_PATHS.openai}/responses`,
  embeddings: `${MODEL_BASE_PATHS.openai}/embeddings`,
  messages: `${MODEL_BASE_PATHS.anthropic}/v1/messages`,
  countTokens: `${MODEL_BASE_PATHS.anthropic}/v1/messages/count_tokens`,
};

/** What every operation takes. */
export const body = (model: unknown, more: object = {}): object => ({ model, max_tokens: 10, messages: QUESTION, input: 'Where am I?', ...more });

export interface Answer {
  status: number;
  /** As it came, with the headers. */
  whole: string;
  code: string | undefined;
}

export interface ModelAttack {
  world: World;
  provider: Provider;
  ada: string;
  mallory: string;
  /** Ada allows agents of others so much in a run. */
  lend(budgetMicros: number): Promise<void>;
  /** An agent of Mallory; default: its caller pays. */
  agent(models?: Partial<ModelUse>): Promise<LiveAgent>;
  /** A run of it that Ada began. */
  run(agent: LiveAgent, more?: Partial<RunActor>): TestRun;
  token(run: TestRun, ms?: number): Promise<string>;
  /** The key of a model grant for the run. */
  grantKey(run: TestRun, models?: string[]): Promise<string>;
  /** Fails if the provider was asked anything. */
  nothingAsked(): void;
  ask(path: string, key: string | undefined, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

/** @param hosts other endpoints on this machine */
export async function modelAttack(hosts: readonly string[] = []): Promise<ModelAttack> {
  const provider = await startProvider();
  const world = await createWorld({ llmLocalHosts: [provider.host, ...hosts] });
  const { ctx, url } = world;
  const idOf = async (name: string) => (await ctx.db('users').where('email', 'like', `${name}-%`).first('user_id'))?.user_id ?? '';
  const [ada, mallory] = [await idOf('ada'), await idOf('ben')];
  const token = ({ actor }: TestRun, ms = 60_000) => mintRunCredential(ctx.drivers.vault, actor, Date.now() + ms);
  return {
    world,
    provider,
    ada,
    mallory,
    lend: async (budget) => {
      const common = { base_url: provider.url, model: 'm-1', price: PRICE, agent_run_budget_micros: budget };
      await world.as('ada').llmCreds.put({ body: { ...common, name: 'main', provider: 'openai_compatible', api_key: KEYS.openai } });
      await world.as('ada').llmCreds.put({ body: { ...common, name: 'claude', provider: 'anthropic_compatible', api_key: KEYS.anthropic } });
    },
    agent: async (models = {}) => {
      const agent = await liveAgent(ctx, mallory, { visibility: 'public' });
      const manifest = JSON.stringify({ models: { paid_by: 'caller', ...models } });
      await ctx.db('deployments').where({ deploy_id: agent.deployId }).update({ manifest });
      return agent;
    },
    run: (agent, more) => runOf(ctx, agent, ada, more),
    token,
    grantKey: async (run, models) => {
      const grant = { run_token: await token(run), budget_micros: 1_000_000, ttl_seconds: 60, ...(models && { models }) };
      return (await world.as('platform').platform.createLlmGrant({ body: grant })).key;
    },
    nothingAsked: () => expect(provider.asked.map(({ path, raw }) => [path, raw.slice(0, 200)])).toEqual([]),
    ask: (path, key, body, headers = {}) => send(url, path, { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers }, body),
    close: async () => {
      await world.close();
      await provider.close();
    },
  };
}

/** The path goes as it is: no client makes it another. A text goes as it is, too. */
async function send(url: string, path: string, headers: Record<string, string>, body: unknown): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const bytes = body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const method = bytes ? 'POST' : 'GET';
  const all = { 'content-type': 'application/json', ...(bytes && { 'content-length': String(bytes.length) }), ...headers };
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ hostname, port, path, method, headers: all, agent: false }, resolve).on('error', reject).end(bytes);
  });
  const said = await text(incoming);
  const code = /"code":"([a-z_]+)"|\(([a-z_]+)\)"/.exec(said)?.slice(1).find(Boolean);
  return { status: incoming.statusCode ?? 0, whole: `${incoming.rawHeaders.join('\n')}\n${said}`, code };
}
