import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from '@svc/sdk/testing';
import { ScheduledDigest } from './agent.ts';
import { itemsOf } from './feed.ts';

class Sample extends ScheduledDigest {
  override settings = {
    title: 'News',
    sources: [
      { name: 'One', url: 'https://one.example.com/feed' },
      { name: 'Two', url: 'https://two.example.com/feed' },
    ],
    hosts: ['one.example.com', 'two.example.com'],
    keywords: [],
    max_items: 2,
    webhook: { secret: 'TARGET_URL', hosts: ['hooks.example.com'] },
  } as const;
}
const secrets = { TARGET_URL: 'https://hooks.example.com/x' };

const RSS = `<rss><channel>
<item><title><![CDATA[Tea & <b>cake</b>]]></title><link>https://one.example.com/1</link><pubDate>Tue, 24 Nov 2026 10:00:00 GMT</pubDate></item>
<item><title>Rain &#38; wind</title><guid>two</guid><link>javascript:alert(1)</link><pubDate>Wed, 25 Nov 2026 10:00:00 GMT</pubDate></item>
</channel></rss>`;
const ATOM = `<feed><entry><title>Snow</title><id>urn:3</id><link href="https://two.example.com/3"/><updated>2026-11-26T10:00:00Z</updated></entry></feed>`;

/** Answers by host; what the webhook got is in the list. */
function web(answers: Record<string, () => Response>, sent: string[] = []) {
  return async (address: unknown, init?: { body?: unknown }): Promise<Response> => {
    const { hostname } = new URL(String(address));
    if (hostname === 'hooks.example.com') sent.push(String(init?.body));
    return answers[hostname]?.() ?? new Response('ok');
  };
}
const both = { 'one.example.com': () => new Response(RSS), 'two.example.com': () => new Response(ATOM) };

test('reads RSS, Atom and JSON feeds as plain text', () => {
  assert.deepEqual(itemsOf(RSS), [
    { id: 'https://one.example.com/1', title: 'Tea & cake', url: 'https://one.example.com/1', date: '2026-11-24T10:00:00.000Z' },
    { id: 'two', title: 'Rain & wind', url: '', date: '2026-11-25T10:00:00.000Z' },
  ]);
  assert.equal(itemsOf(ATOM)?.[0]?.url, 'https://two.example.com/3');
  assert.equal(itemsOf('{"items":[{"id":7,"title":"Sun"}]}')?.[0]?.title, 'Sun');
  assert.deepEqual([itemsOf('<html></html>'), itemsOf('{"items":1}'), itemsOf('<rss><item>')], [undefined, undefined, []]);
});

test('sends what is new, newest first and no more than allowed, then the rest, then nothing', async (t) => {
  const sent: string[] = [];
  t.mock.method(globalThis, 'fetch', web(both, sent));
  const agent = testAgent(Sample, { secrets });
  const first = (await agent.invoke('digest', {})).result;
  assert.deepEqual([first.delivery, first.items.map(({ title }) => title)], ['sent', ['Snow', 'Rain & wind']]);
  assert.deepEqual(
    (await agent.invoke('digest', {})).result.items.map(({ title }) => title),
    ['Tea & cake'],
  );
  assert.equal((await agent.invoke('digest', {})).result.delivery, 'nothing_new');
  assert.equal(sent.length, 2);
});

test('a preview sends and remembers nothing', async (t) => {
  const sent: string[] = [];
  t.mock.method(globalThis, 'fetch', web(both, sent));
  const agent = testAgent(Sample, { secrets });
  assert.equal((await agent.invoke('preview', {})).result.items.length, 2);
  assert.equal((await agent.invoke('preview', {})).result.items.length, 2);
  assert.deepEqual(sent, []);
});

test('one source that fails is named; when all fail it is an error', async (t) => {
  const half = t.mock.method(globalThis, 'fetch', web({ ...both, 'two.example.com': () => new Response('no', { status: 503 }) }));
  const { result } = await testAgent(Sample, { secrets }).invoke('digest', {});
  assert.deepEqual([result.items.length, result.failed], [2, [{ source: 'Two', reason: 'answered 503' }]]);
  half.mock.mockImplementation(async () => new Response('<html></html>'));
  await assert.rejects(testAgent(Sample, { secrets }).invoke('digest', {}), { code: 'skill_invocation_error', message: /No source could be read.*One/ });
});

test('what could not be sent comes again', async (t) => {
  const refused = t.mock.method(globalThis, 'fetch', web({ ...both, 'hooks.example.com': () => new Response('no', { status: 500 }) }));
  const agent = testAgent(Sample, { secrets });
  await assert.rejects(agent.invoke('digest', {}), { message: /TARGET_URL answered 500/ });
  refused.mock.mockImplementation(web(both));
  assert.equal((await agent.invoke('digest', {})).result.items.length, 2);
});
