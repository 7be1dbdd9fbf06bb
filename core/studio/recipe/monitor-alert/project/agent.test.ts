import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from '@svc/sdk/testing';
import { MonitorAlert } from './agent.ts';
import { numberAt, problemOf, type Settings } from './monitor.ts';

const known: Settings = {
  title: 'Shop',
  url: 'https://shop.example.com/health',
  hosts: ['shop.example.com'],
  value_at: 'queue.0',
  min: 1,
  max: 10,
  max_seconds: 5,
  alert_after: 2,
  webhook: { secret: 'TARGET_URL', hosts: ['hooks.example.com'] },
};
class Sample extends MonitorAlert {
  override settings = known;
}
const secrets = { TARGET_URL: 'https://hooks.example.com/x' };

test('holds a measurement against every bound, and the bounds themselves are well', () => {
  const problem = (more: object) => problemOf({ status: 200, milliseconds: 10, value: 5, fault: null, ...more }, known);
  assert.deepEqual([problem({}), problem({ value: 1 }), problem({ value: 10 })], [undefined, undefined, undefined]);
  assert.deepEqual(
    [
      problem({ value: 0.9 }),
      problem({ value: 11 }),
      problem({ value: null }),
      problem({ status: 503 }),
      problem({ milliseconds: 6_000 }),
      problem({ status: null }),
    ],
    ['0.9 is below 1', '11 is above 10', 'there is no number at queue.0', 'answered 503', 'took 6.0 s, more than 5 s', 'no answer'],
  );
  assert.deepEqual([numberAt({ a: ['7'] }, 'a.0'), numberAt({}, 'constructor.length'), numberAt({ a: '' }, 'a')], [7, null, null]);
});

test('alerts once after so many failures, and once when it is well again', async (t) => {
  const sent: unknown[] = [];
  let value = 5;
  t.mock.method(globalThis, 'fetch', async (address: unknown, init?: { body?: unknown }) => {
    if (String(address).includes('hooks')) sent.push(JSON.parse(String(init?.body)));
    return new Response(JSON.stringify({ queue: [value] }));
  });
  const agent = testAgent(Sample, { secrets });
  const states: string[] = [];
  for (const next of [5, 50, 50, 50, 5]) {
    value = next;
    states.push((await agent.invoke('check', {})).result.current.state);
  }
  assert.deepEqual(states, ['ok', 'failing', 'alert', 'alert', 'ok']);
  assert.equal(sent.length, 2);
  assert.match(JSON.stringify(sent[0]), /Shop: 50 is above 10/);
  assert.match(JSON.stringify(sent[1]), /well again/);
});

test('an address that does not answer is a failure, not an error', async (t) => {
  t.mock.method(globalThis, 'fetch', async () => Promise.reject(new TypeError('fetch failed')));
  const { result } = await testAgent(Sample, { secrets }).invoke('check', {});
  assert.deepEqual([result.current.state, result.current.reason], ['failing', 'shop.example.com could not be reached. Check the address and try again.']);
});

test('an alert that could not be sent is sent with the next check', async (t) => {
  let refuses = true;
  const fetched = t.mock.method(globalThis, 'fetch', async (address: unknown) =>
    String(address).includes('hooks') ? new Response('', { status: refuses ? 500 : 200 }) : new Response('', { status: 500 }),
  );
  const agent = testAgent(Sample, { secrets });
  await agent.invoke('check', {});
  await assert.rejects(agent.invoke('check', {}), { message: /TARGET_URL answered 500/ });
  refuses = false;
  assert.equal((await agent.invoke('check', {})).result.delivery, 'sent');
  assert.equal(fetched.mock.callCount(), 5);
});

test('judges without asking, and refuses what is no measurement', async (t) => {
  const fetched = t.mock.method(globalThis, 'fetch', async () => new Response());
  const agent = testAgent(Sample);
  assert.deepEqual((await agent.invoke('judge', { status: 404 })).result, { state: 'failing', reason: 'answered 404' });
  await assert.rejects(agent.invoke('judge', { status: 42 }), { code: 'skill_input_error' });
  assert.equal((await agent.invoke('last_state', {})).result.last, null);
  assert.equal(fetched.mock.callCount(), 0);
});
