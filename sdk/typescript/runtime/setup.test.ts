// ctx.setup: values of the platform with the key, the author's own values without one, and never other
// values.
import { afterEach, expect, test } from 'vitest';
import { SetupField } from '../../../contract/wire/card.ts';
import { HEADER } from '../../../contract/wire/headers.ts';
import { Agent, skill } from '../index.ts';
import { startAgent, type StartedAgent, type StartOptions } from '../runtime.ts';
import { setupFromEnvironment } from './setup.ts';

class Needy extends Agent {
  override name = 'needy';
  override description = 'For tests';
  override version = '1.0.0';
  override consumerSetup = [
    { name: 'api_key', kind: 'secret', required: true },
    { name: 'region', default: 'eu' },
    { name: 'limit', type: 'number' },
    { name: 'strict', type: 'boolean' },
  ] as const;
  show = skill({}, async (ctx) => ctx.setup);
}
class Plain extends Agent {
  override name = 'plain';
  override description = 'For tests';
  override version = '1.0.0';
  show = skill({}, async (ctx) => ctx.setup);
}

const started: StartedAgent[] = [];
afterEach(async () => {
  for (const agent of started.splice(0)) await agent.shutdown();
});

async function agentOf(source: new () => Agent, options: StartOptions = {}) {
  const agent = await startAgent(source, { listen: { host: '127.0.0.1', port: 0 }, onLog: () => undefined, ...options });
  started.push(agent);
  const address = agent.server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const show = async (headers: Record<string, string> = {}): Promise<unknown> => {
    const answer = await fetch(`http://127.0.0.1:${port}/invoke/show`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', ...headers },
    });
    return answer.json();
  };
  return { agent, show };
}
const sent = (value: unknown): Record<string, string> => ({ authorization: 'Bearer key', [HEADER.setup]: JSON.stringify(value) });

test('the card says what is needed, and nothing where nothing is', async () => {
  expect((await agentOf(Plain)).agent.card).not.toHaveProperty('consumer_setup');
  expect((await agentOf(Needy)).agent.card.consumer_setup?.map(({ name, kind, type, required }) => [name, kind, type, required])).toEqual([
    ['api_key', 'secret', 'string', true],
    ['region', 'config', 'string', false],
    ['limit', 'config', 'number', false],
    ['strict', 'config', 'boolean', false],
  ]);
});

test('what comes beside the key is found, with defaults; unknown and unfit members are not; 16 KiB of it fit', async () => {
  const { show } = await agentOf(Needy, { apiKey: 'key' });
  expect(await show(sent({ api_key: 'k', limit: 2, strict: false }))).toEqual({ api_key: 'k', region: 'eu', limit: 2, strict: false });
  expect(await show(sent({ api_key: 7, region: 'us', unknown: 'x', __proto__: 'y' }))).toEqual({ region: 'us' });
  expect(await show(sent({ region: 'x'.repeat(16_000) }))).toEqual({ region: 'x'.repeat(16_000) });
  expect(await show({ authorization: 'Bearer key', [HEADER.setup]: '"{' })).toEqual({ region: 'eu' });
  expect(await show({ authorization: 'Bearer key' })).toEqual({ region: 'eu' });
});

const fields = new Needy().consumerSetup.map((field) => SetupField.parse(field));

test('without a key no header is trusted: the author’s own values are used', async () => {
  const { show } = await agentOf(Needy, {
    setup: setupFromEnvironment(fields, { API_KEY: 'mine', limit: '3', STRICT: 'true', region: '' }),
  });
  expect(await show({ [HEADER.setup]: JSON.stringify({ api_key: 'forged' }) })).toEqual({ api_key: 'mine', region: 'eu', limit: 3, strict: true });
});
