// Imported agents, called through the platform: official servers of both protocols on the other side,
// everything between them real.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importAgent } from '#core/imports/import/import.ts';
import { connectAuth } from '#core/imports/connection/connect.ts';
import type { TestUser } from '#test/support/context.ts';
import { a2aRemote, hostOf, mcpRemote, type Remote } from './test/remotes.ts';
import { importWorld, type ImportWorld } from './test/world.ts';

let t: ImportWorld;
let ada: TestUser;
let echo: Remote;
let adder: Remote;

beforeAll(async () => {
  [echo, adder] = await Promise.all([a2aRemote(), mcpRemote()]);
  t = await importWorld({ importLocalHosts: [hostOf(echo), hostOf(adder)] });
  ada = await t.user('ada');
});
afterAll(async () => {
  await t.close();
  await Promise.all([echo.close(), adder.close()]);
});

const call: ImportWorld['call'] = (...args) => t.call(...args);
const unlisted = { visibility: 'unlisted', auth: null } as const;

describe('an A2A agent', () => {
  test('is imported with its card and called like any other, with a receipt', async () => {
    const made = await importAgent(ada, { url: echo.url, ...unlisted });
    expect(made).toMatchObject({
      name: 'echo-agent',
      version: '2.1.0',
      skills: ['say_it'],
      import: { protocol: 'a2a', protocol_version: '1.0', failure: null },
    });
    const out = await call(ada, 'echo-agent', 'say_it', { text: 'hello', data: { n: 1 } });
    expect(out).toMatchObject({ status: 200, body: { text: 'you said: hello', data: { got: { n: 1 } } } });
    const receipt = await t.ctx
      .db('receipts')
      .where({ receipt_id: out.headers['x-svc-receipt-id'] ?? '' })
      .first('payload');
    expect(receipt?.payload).toMatchObject({ skill: 'say_it', status: 'ok', runtime: 'remote:a2a/1.0' });
  });

  test('that fails says why in its own words', async () => {
    await expect(call(ada, 'echo-agent', 'say_it', { text: 'fail' })).rejects.toMatchObject({ code: 'remote_failed', message: 'I would rather not' });
  });
});

describe('an MCP server', () => {
  test('is imported with its tools, their schemas kept, and called', async () => {
    const made = await importAgent(ada, { url: `${adder.url}/mcp`, ...unlisted });
    expect(made).toMatchObject({
      name: 'adder',
      version: '1.4.0',
      skills: ['add', 'greet_person'],
      import: { protocol: 'mcp', protocol_version: '2026-07-28' },
    });
    expect(await call(ada, 'adder', 'add', { a: 1, b: 2 })).toMatchObject({ status: 200, body: { sum: 3 } });
    await expect(call(ada, 'adder', 'add', { a: 1 })).resolves.toMatchObject({ status: 400, body: { detail: { code: 'skill_input_error' } } });
  });
});

test('what a hosted agent needs is not stored for an imported one, and the other way round', async () => {
  await t.user('ben');
  await expect(connectAuth(ada, 'nobody', { kind: 'bearer', token: 'x', scheme: 'Bearer' })).rejects.toMatchObject({ code: 'agent_not_found' });
});
