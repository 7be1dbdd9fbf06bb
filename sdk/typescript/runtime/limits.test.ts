// One limit for arguments and results, whichever protocol a call comes by: its refusal names it.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { MAX_VALUE_BYTES } from '../../../contract/wire/limits.ts';
import { Agent } from '../authoring/agent.ts';
import { skill } from '../authoring/skill.ts';
import { all, serve } from '../test/serve.ts';

class Large extends Agent {
  name = 'large';
  description = 'For tests.';
  version = '1.0.0';
  /** Of so many bytes as JSON, in characters of three bytes as far as it goes. */
  write = skill({ input: z.object({ bytes: z.number(), padding: z.string().default('') }) }, async (_ctx, { bytes }) => {
    const wide = Math.floor((bytes - 2) / 3);
    return '€'.repeat(wide) + 'x'.repeat(bytes - 2 - 3 * wide);
  });
}

const LIMIT = String(MAX_VALUE_BYTES);
const over = { bytes: MAX_VALUE_BYTES + 1 };
const tool = (args: object) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'write', arguments: args } });
const message = (args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'SendMessage',
  params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ data: { skill: 'write', args } }] } },
});

test('a result may have as many bytes as the limit says, and not one more', async () => {
  const agent = await serve(Large);
  const whole = await agent.post('/invoke/write', { bytes: MAX_VALUE_BYTES });
  expect([whole.status, (await whole.arrayBuffer()).byteLength]).toEqual([200, MAX_VALUE_BYTES]);
  const refused = await agent.refusal('/invoke/write', over);
  expect([refused.status, refused.detail]).toMatchObject([413, { code: 'answer_too_large', message: expect.stringContaining(LIMIT) }]);
});

test('a stream and a detached run end with the same refusal, or with the whole result', async () => {
  const agent = await serve(Large, { apiKey: 'k' });
  const headers = { authorization: 'Bearer k', accept: 'text/event-stream' };
  for (const more of [{}, { 'x-svc-detached': '1' }]) {
    const last = async (args: object) => (await all(agent.stream('/invoke/write', args, { headers: { ...headers, ...more } }))).at(-1);
    expect(await last(over)).toMatchObject({
      kind: 'failed',
      payload: { status: 413, detail: { code: 'answer_too_large', message: expect.stringContaining(LIMIT) } },
    });
    expect((await last({ bytes: MAX_VALUE_BYTES }))?.kind).toBe('result');
  }
});

test.each([
  ['/mcp', tool],
  ['/a2a', message],
])('%s says the same, and takes as much', async (path, body) => {
  const agent = await serve(Large);
  const headers = { accept: 'application/json, text/event-stream', 'a2a-version': '1.0', 'mcp-protocol-version': '2025-06-18' };
  const refused = await (await agent.post(path, body(over), { headers })).text();
  expect(refused).toContain(LIMIT);
  expect(refused).toContain('bytes');
  const args = await agent.post(path, body({ bytes: 3, padding: 'p'.repeat(MAX_VALUE_BYTES) }), { headers });
  expect(await args.text()).toContain(LIMIT);
});
