import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from '@svc/sdk/testing';
import { WebhookTransformer } from './agent.ts';
import { transformed, valueAt } from './transform.ts';

class Sample extends WebhookTransformer {
  override settings = {
    fields: [
      { to: 'title', from: 'issue.title', as: 'text', required: true },
      { to: 'count', from: 'issue.labels.0.count', as: 'number', required: false },
      { to: 'open', from: 'open', as: 'boolean', required: false },
    ],
    webhook: { secret: 'TARGET_URL', hosts: ['hooks.example.com'] },
  } as const;
}
const payload = { issue: { title: 'It fails', labels: [{ count: '3' }] }, open: 'true' };

test('reads each field from its place, as its type', async () => {
  const { result } = await testAgent(Sample).invoke('transform', { payload });
  assert.deepEqual(result.record, { title: 'It fails', count: 3, open: true });
  assert.equal(valueAt({ a: 1 }, 'constructor.name'), undefined);
});

test('says every place that does not fit', async () => {
  const wrong = { issue: { labels: [{ count: 'many' }] } };
  await assert.rejects(testAgent(Sample).invoke('transform', { payload: wrong }), {
    code: 'skill_input_error',
    message: /issue\.title is missing.*count is no number/,
  });
  assert.equal(transformed({ n: '' }, [{ to: 'n', from: 'n', as: 'number', required: false }]).problems.length, 1);
});

test('refuses a payload that is too large', async () => {
  await assert.rejects(testAgent(Sample).invoke('transform', { payload: { text: 'x'.repeat(300_000) } }), { code: 'skill_input_error' });
});

test('sends the record to the webhook', async (t) => {
  const sent = t.mock.method(globalThis, 'fetch', async () => new Response('ok'));
  const { result } = await testAgent(Sample, { secrets: { TARGET_URL: 'https://hooks.example.com/x' } }).invoke('receive', { payload });
  assert.equal(result.delivery, 'sent');
  const body: unknown = JSON.parse(String(sent.mock.calls[0]?.arguments[1]?.body));
  assert.deepEqual(body, { text: 'title: It fails\ncount: 3\nopen: true', data: { title: 'It fails', count: 3, open: true } });
});

test('says when the webhook refuses, and never its address', async (t) => {
  t.mock.method(globalThis, 'fetch', async () => new Response('no', { status: 410 }));
  const agent = testAgent(Sample, { secrets: { TARGET_URL: 'https://hooks.example.com/private' } });
  await assert.rejects(agent.invoke('receive', { payload }), { code: 'skill_invocation_error', message: /TARGET_URL answered 410(?!.*private)/ });
  const elsewhere = testAgent(Sample, { secrets: { TARGET_URL: 'https://elsewhere.example.com/x' } });
  await assert.rejects(elsewhere.invoke('receive', { payload }), { code: 'skill_input_error', message: /may not reach elsewhere/ });
});

test('works before the secret is stored', async () => {
  assert.equal((await testAgent(Sample).invoke('receive', { payload })).result.delivery, 'no_secret');
});
