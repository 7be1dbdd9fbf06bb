// Prices and charges over HTTP: what one sees before a call, the answer to a call that cannot be paid, and
// payments.
import { mkdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { dirname } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createClient } from '#contract/client.ts';
import { newId } from '#core/kernel/ids.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { accountOf, platformAccount } from '#core/money/ledger/accounts.ts';
import { post } from '#core/money/ledger/post.ts';
import { socketOf } from '#test/support/agent-socket.ts';
import { type LiveAgent, liveAgent } from '#test/support/runs.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
let ada: string;
let ben: string;
let agent: LiveAgent;
let machine: Server;
beforeAll(async () => {
  world = await createWorld();
  const userOf = async (token: string) => (await world.ctx.db('platform_tokens').where({ token_hash: hashSecret(token) }).first('user_id'))?.user_id ?? ''; // prettier-ignore
  [ada, ben] = [await userOf(world.tokens.ada), await userOf(world.tokens.ben)];
  const greet = { id: 'greet', name: 'greet', input_schema: { type: 'object' }, output_schema: {} };
  agent = await liveAgent(world.ctx, ada, { visibility: 'public', card: { skills: [greet, { ...greet, id: 'other' }] } });
  // Of its card a part is all that is needed here, and that is shown to nobody.
  await world.ctx.db('agents').where({ agent_id: agent.id }).update({ card: null });
  machine = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json').end('"hello"');
  });
  const path = socketOf(world.ctx.drivers.runtime.address(agent.instanceId));
  await mkdir(dirname(path), { recursive: true });
  await new Promise<void>((resolve) => machine.listen(path, resolve));
});
afterAll(async () => {
  machine.closeAllConnections();
  machine.close();
  await world.close();
});
beforeEach(async () => {
  const live = await world.ctx.db('skill_prices').where({ agent_id: agent.id }).whereNull('valid_until').select('skill');
  for (const { skill } of live) await money('ada').prices.end({ params: { name: agent.name, skill } });
});

const money = (who: 'ada' | 'ben') => createClient({ baseUrl: world.url, token: world.tokens[who] });
const set = (body: { call_micros?: number; second_micros?: number; max_micros?: number; free_calls?: number }, who: 'ada' | 'ben' = 'ada', skill = 'greet') =>
  money(who).prices.put({ params: { name: agent.name, skill }, body });
const invoke = (who: 'ada' | 'ben') =>
  fetch(`${world.url}/v1/agents/${agent.name}/api/invoke/greet`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.tokens[who]}`, 'content-type': 'application/json' },
    body: '{}',
  });
async function credit(micros: number): Promise<void> {
  const { db } = world.ctx;
  const key = `promotion:${newId('acc')}`;
  const [wallet, from] = [await accountOf(db, 'wallet', ben), await platformAccount(db, 'promotion', key)];
  const lines = [{ accountId: wallet, micros }, { accountId: from, micros: -micros }]; // prettier-ignore
  await post(db, { key, kind: 'promotion', lines, refs: {}, at: Date.now() });
}

test('only its owner sets a price, and users who see the agent read it everywhere', async () => {
  const price = await set({ call_micros: 20_000, free_calls: 2 });
  expect(price).toMatchObject({ skill: 'greet', version: expect.any(Number), call_micros: 20_000, max_micros: 20_000, free_calls: 2, valid_until: null });
  const params = { name: agent.name };
  expect((await money('ben').prices.list({ params, query: {} })).items).toEqual([price]);
  expect((await world.as('ben').agents.get({ params })).prices).toEqual([price]);
  expect(((await (await fetch(`${world.url}/v1/public/agents/${agent.name}`)).json()) as { prices: unknown }).prices).toEqual([price]);
  await expect(set({ call_micros: 1 }, 'ben')).rejects.toMatchObject({ status: 404, code: 'agent_not_found' });
  await expect(money('ben').prices.end({ params: { ...params, skill: 'greet' } })).rejects.toMatchObject({ status: 404 });
  await world.ctx.db('agents').where({ agent_id: agent.id }).update({ visibility: 'unlisted' });
  await expect(money('ben').prices.list({ params, query: {} })).rejects.toMatchObject({ status: 404 });
  await world.ctx.db('agents').where({ agent_id: agent.id }).update({ visibility: 'public' });
});

test.each([
  ['nothing that costs', { call_micros: 0 }, 'call_micros'],
  ['no most where time costs', { second_micros: 10 }, 'max_micros'],
  ['a most below the call', { call_micros: 10, max_micros: 9 }, 'max_micros'],
])('%s is no price', async (_, body, member) => {
  await expect(set(body)).rejects.toMatchObject({ status: 422, detail: { issues: [{ path: ['body', member] }] } });
});

test('pages of all versions hold each once', async () => {
  for (let n = 1; n <= 7; n += 1) await set({ call_micros: n }, 'ada', n % 2 === 0 ? 'greet' : 'other');
  const seen: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await money('ben').prices.list({ params: { name: agent.name }, query: { history: true, limit: 3, ...(cursor && { cursor }) } });
    seen.push(...page.items.map(({ price_id }) => price_id));
    cursor = page.next_cursor;
  } while (cursor);
  const all = await world.ctx.db('skill_prices').where({ agent_id: agent.id });
  expect([seen.length, new Set(seen).size]).toEqual([all.length, all.length]);
});

test('a call that is not covered is 402 with what it costs; a paid one is listed, and its owner calls for nothing', async () => {
  await set({ call_micros: 20_000 });
  const refused = await invoke('ben');
  expect([refused.status, await refused.json()]).toEqual([
    402,
    { detail: expect.objectContaining({ code: 'insufficient_credits', skill: 'greet', max_micros: 20_000, message: expect.stringContaining('$0.02 a call') }) },
  ]);
  const durable = world.as('ben').agents.startRun({ params: { name: agent.name, skill_name: 'greet' }, body: {}, headers: {} });
  await expect(durable).rejects.toMatchObject({ status: 402, code: 'insufficient_credits' });
  await credit(50_000);
  const paid = await invoke('ben');
  expect(paid.status).toBe(200);
  const { items } = await money('ben').charges.list({ query: {} });
  expect(items).toMatchObject([
    { agent: agent.name, skill: 'greet', state: 'settled', amount_micros: 20_000, receipt_id: paid.headers.get('x-svc-receipt-id') },
  ]);
  const receipt = await world.as('ben').agentReceipts.get({ params: { name: agent.name, receipt_id: items[0]?.receipt_id ?? '' } });
  expect(receipt.payload.charge).toMatchObject({ charge_id: items[0]?.charge_id, amount_micros: 20_000 });
  expect((await invoke('ada')).status).toBe(200);
  expect((await money('ada').charges.list({ query: {} })).items).toEqual([]);
  expect((await money('ben').charges.list({ query: { state: 'held' } })).items).toEqual([]);
});
