// Every skill of the sample agent, through the SDK's test harness.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent, ModelFailed, skill, z } from '@svc/sdk';
import { InMemoryA2AClient, testAgent } from '@svc/sdk/testing';
import { FrontDesk } from '../agent.ts';

const secrets = { SUPPLIER_KEY: 'test-key' };

// region testing
test('greets by name', async () => {
  const agent = testAgent(FrontDesk, { config: {}, secrets });
  const { result } = await agent.invoke('greet', { name: 'Ada' });
  assert.deepEqual(result, { text: 'Hello, Ada!' });
});

test('waves when the answer is yes', async () => {
  const agent = testAgent(FrontDesk, { config: {}, secrets, onQuestion: () => 'yes' });
  assert.deepEqual((await agent.invoke('wave', {})).result, { waved: true });
});
// endregion

// region llm
test('recommends and takes notes, with a model that answers as the test says', async () => {
  const order = { item: 'tea', cups: 2, sugar: false } as const;
  const agent = testAgent(FrontDesk, { config: {}, secrets, llm: ['Take a strong coffee.', { json: { ...order, cups: 'two' } }, { json: order }] });
  const { result, events } = await agent.invoke('recommend', { mood: 'sleepy' });
  assert.deepEqual(result, { text: 'Take a strong coffee.' });
  assert.equal(events.filter(({ kind }) => kind === 'text_delta').length, 4);
  assert.deepEqual((await agent.invoke('note', { said: 'two teas' })).result, order);
});
// endregion

test('says whose budget is spent', async () => {
  const spent = new ModelFailed("the run's budget is spent", { code: 'llm_cap_reached', status: 402 });
  const agent = testAgent(FrontDesk, { config: {}, secrets, llm: [spent] });
  await assert.rejects(agent.invoke('note', { said: 'two teas' }), { message: "No order today: the run's budget is spent" });
});

test('reads configuration and secrets', async () => {
  const agent = testAgent(FrontDesk, { config: { currency: 'SEK' }, secrets });
  assert.match((await agent.invoke('price', {})).result.text, /^2 SEK/);
  assert.deepEqual(agent.log.at(-1)?.message, 'asked for a price');
});

test('does not wave when the answer is no', async () => {
  const agent = testAgent(FrontDesk, { config: {}, secrets, onQuestion: () => 'no' });
  assert.deepEqual((await agent.invoke('wave', {})).result, { waved: false });
});

test('takes an order by form', async () => {
  const order = { item: 'tea', cups: 2, sugar: false } as const;
  const agent = testAgent(FrontDesk, { config: {}, secrets, onQuestion: () => JSON.stringify(order) });
  assert.deepEqual((await agent.invoke('order', {})).result, order);
});

test('commits what it wrote when the run succeeds', async () => {
  const workspace = { 'notes/today.md': '# Rain\nAll day.\n', 'notes/other.md': '# Sun\n' };
  const agent = testAgent(FrontDesk, { config: {}, secrets, workspace, onScopeRequest: () => true });
  await agent.invoke('summarize', { path: 'notes/today.md' });
  assert.equal(new TextDecoder().decode(await agent.files.read('summaries/note.md')), '# Rain\n');
});

test('writes nothing when the person refuses', async () => {
  const agent = testAgent(FrontDesk, { config: {}, secrets, workspace: { 'notes/today.md': '# Rain\n' }, onScopeRequest: () => false });
  await assert.rejects(agent.invoke('summarize', { path: 'notes/today.md' }), { code: 'scope_denied' });
});

class Loud extends Agent {
  name = 'loud-greeter';
  description = 'Greets loudly.';
  version = '0.1.0';
  greet = skill({ tags: ['loud'], input: z.object({ name: z.string() }), output: z.object({ text: z.string() }) }, async (_ctx, { name }) => ({
    text: `HELLO, ${name.toUpperCase()}!`,
  }));
}

test('calls another agent', async () => {
  const agent = testAgent(FrontDesk, { config: {}, secrets, agents: new InMemoryA2AClient([Loud]) });
  assert.deepEqual((await agent.invoke('shout', { name: 'Ada' })).result, { text: 'HELLO, ADA!' });
});

test('names what is missing when no agent fits', async () => {
  const agent = testAgent(FrontDesk, { config: {}, secrets, agents: new InMemoryA2AClient([]) });
  await assert.rejects(agent.invoke('shout', { name: 'Ada' }), { code: 'skill_invocation_error', message: /tag "loud"/ });
});

test('has no sandbox outside of the platform', async () => {
  const agent = testAgent(FrontDesk, { config: {}, secrets });
  await assert.rejects(agent.invoke('compute', { code: 'print(1)' }), { code: 'sandbox_unavailable' });
});

test('counts visits between runs', async () => {
  const agent = testAgent(FrontDesk, { config: {}, secrets });
  await agent.invoke('visit', {});
  assert.deepEqual((await agent.invoke('visit', {})).result, { visits: 2 });
});

test('reports progress and leaves an artifact', async () => {
  const agent = testAgent(FrontDesk, { config: {}, secrets });
  const { events, artifacts } = await agent.invoke('count', { to: 3 });
  assert.equal(events.filter(({ kind }) => kind === 'progress').length, 3);
  const [artifact] = artifacts;
  assert.ok(artifact);
  assert.equal(new TextDecoder().decode(agent.artifact(artifact)), '3\n');
});

test('refuses arguments with a reason', async () => {
  const agent = testAgent(FrontDesk, { config: {}, secrets });
  assert.deepEqual((await agent.invoke('split', { total: 9, guests: 2 })).result, { each: 4.5 });
  await assert.rejects(agent.invoke('split', { total: 9, guests: 0 }), { code: 'skill_input_error', message: /at least one guest/ });
});

test('answers mail', async () => {
  const agent = testAgent(FrontDesk, { config: {}, secrets });
  const mail = {
    sender: 'ada@example.com',
    subject: 'Tea',
    body: 'Two cups, please.',
    message_id: '<1@example.com>',
    date: '2026-11-24T10:00:00.000Z',
    references: [],
    attachments: [],
  };
  assert.equal((await agent.invoke('on_email', mail)).result, 'Thank you for "Tea" with 0 files.');
});
