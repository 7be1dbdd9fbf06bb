import { expect, test } from 'vitest';
import { serveForTest } from '#api/http/test/serve.ts';
import { callerScopes } from '#contract/agents/caller-scopes.ts';
import { NotFound } from '#core/kernel/errors.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { signedIn, toolAt } from '../../test/signed-in.ts';

const at = '2026-11-22T04:00:00.000Z';
const row = { account_id: 'usr_1', account: 'ben@example.com', scopes: ['reports:write'], created_at: at, updated_at: at };
let items = [row];
const asked: unknown[] = [];
const { tool } = await toolAt(
  await serveForTest(
    { callerScopes },
    {
      callerScopes: {
        list: () => Promise.resolve({ items, declared: ['reports:write'] }),
        give: (_ctx, { body }) => {
          asked.push(body);
          if (body.account !== row.account) throw new NotFound('account_not_found', `No account ${body.account} has called this agent`);
          return Promise.resolve({ ...row, scopes: body.scopes });
        },
        withdraw: (_ctx, { params }) => {
          asked.push(params);
          return Promise.resolve();
        },
      },
    },
  ),
);
const svc = (...argv: string[]) => tool.run(['callers', ...argv], signedIn);

test('scopes are given to an account, listed with what skills require, and withdrawn', async () => {
  expect(await svc('give', 'reporter', 'ben@example.com', 'reports:write', 'reports:read')).toMatchObject({
    code: EXIT.ok,
    out: 'ben@example.com has reports:write, reports:read of reporter.\n',
    err: expect.stringContaining('svc callers revoke reporter usr_1'),
  });
  expect(await svc('list', 'reporter')).toMatchObject({
    out: expect.stringMatching(/ben@example\.com +usr_1 +reports:write +2026-11-22/),
    err: expect.stringContaining('reports:write'),
  });
  expect((await svc('withdraw', 'reporter', 'ben@example.com')).code).toBe(EXIT.ok);
  expect(asked).toEqual([
    { account: 'ben@example.com', scopes: ['reports:write', 'reports:read'] },
    { name: 'reporter', account_id: 'usr_1' },
  ]);
});

test('who is not found, or is there twice, is said with what to do', async () => {
  expect((await svc('give', 'reporter', 'eve@example.com', 'x')).err).toContain('No account eve@example.com has called this agent');
  expect(await svc('withdraw', 'reporter', 'eve@example.com')).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('svc callers list reporter') });
  items = [row, { ...row, account_id: 'usr_2' }];
  expect(await svc('withdraw', 'reporter', 'ben@example.com')).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('give the ID') });
  expect((await svc('give', 'reporter', 'ben@example.com')).code).toBe(EXIT.usage);
  items = [];
  expect((await svc('list', 'reporter')).err).toContain('svc callers grant reporter ACCOUNT SCOPE');
});
