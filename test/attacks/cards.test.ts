// What an account, or a stranger whose agent was imported, writes into a card: as much as a card holds, and
// schemas that take for ever. No event loop reads it.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { a2aCard } from '#contract/wire/a2a-card.ts';
import { AgentCard } from '#contract/wire/card.ts';
import { cardThreadCounts } from '#core/agents/card/apart.ts';
import { signedCard } from '#core/agents/card/signed.ts';
import { startAgent } from '#sdk/typescript/runtime/start.ts';
import { importedAgent } from '#imports/agent.ts';
import { testContext, type TestContext } from '../support/context.ts';

let t: TestContext;
beforeAll(async () => {
  t = await testContext();
});
afterAll(() => t.close());

const cardOf = (skills: object[]): AgentCard => AgentCard.parse({ name: 'large', description: '', version: '1.0.0', skills });
const skillOf = (id: string, input_schema: object = {}) => ({ id, name: id, description: '', input_schema, output_schema: {} });
const options = { baseUrl: 'https://large.example.com', bearer: false, legacy: true };

test('half a megabyte of a card is signed in a thread, and a usual card at once; both are whole', async () => {
  const { begun } = cardThreadCounts;
  const usual = await signedCard(t.ctx, 'usr_ada', cardOf([skillOf('say')]), options);
  expect(cardThreadCounts.begun).toBe(begun);
  const large = await signedCard(t.ctx, 'usr_mallory', cardOf(Array.from({ length: 2_500 }, (_, n) => skillOf(`s${n}`))), options);
  expect(cardThreadCounts.begun).toBe(begun + 1);
  for (const card of [usual, large])
    expect(card).toMatchObject({ signatures: [{ signature: expect.stringMatching(/^[\w-]{86}$/) }], protocolVersion: '0.3.0' });
  expect(large['skills']).toHaveLength(2_500);
});

test('an example of lists in lists is made of a thousand parts at most', () => {
  const lists = Array.from({ length: 7 }).reduce<object>((items) => ({ type: 'array', minItems: 16, items }), { type: 'string' });
  const made = JSON.stringify(a2aCard(cardOf([skillOf('say', lists)]), options));
  expect(made.length).toBeLessThan(100_000);
});

test('an imported agent is served without reading its examples against its own patterns', async () => {
  const pattern = '^(?:a+)+$';
  // It takes a moment, not for ever: the test has to end where they are read.
  const schema = { type: 'object', required: ['text'], properties: { text: { type: 'string', pattern, examples: [`${'a'.repeat(20)}!`] } } };
  // Safe: it has no skill that could be called.
  const served = importedAgent({ card: cardOf([skillOf('say', schema)]), skills: [], remote: {}, credentials: {} } as unknown as Parameters<
    typeof importedAgent
  >[0]);
  const started = await startAgent(served, { apiKey: 'the-key', listen: { host: '127.0.0.1', port: 0 }, drainMs: 100, onLog: () => {} });
  const address = started.server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const read = vi.spyOn(RegExp.prototype, 'test');
  const card = await fetch(`${origin}/.well-known/agent-card.json`);
  expect([card.status, await card.json()]).toEqual([200, expect.objectContaining({ skills: [expect.objectContaining({ id: 'say' })] })]);
  const params = { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hello' }] } };
  const headers = { authorization: 'Bearer the-key', 'content-type': 'application/json', 'a2a-version': '1.0' };
  await (await fetch(`${origin}/a2a`, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params }) })).text();
  const sources = read.mock.contexts.map((one) => (one instanceof RegExp ? one.source : ''));
  read.mockRestore();
  await started.shutdown();
  expect(sources.length).toBeGreaterThan(0);
  expect(sources.filter((source) => source === pattern)).toEqual([]);
});
