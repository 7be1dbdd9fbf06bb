import { afterAll, beforeAll, expect, test } from 'vitest';
import { testContext, type TestContext } from '#test/support/context.ts';
import { expire } from './expire.ts';

let t: TestContext;
beforeAll(async () => {
  t = await testContext();
});
afterAll(() => t.close());

test('what is long over goes; what may still be asked for stays', async () => {
  const { db } = t.ctx;
  const ago = (days: number): Date => new Date(Date.now() - days * 86_400_000);
  const sent = (outbox_id: string, sent_at: Date | null) => ({
    outbox_id,
    kind: 'start' as const,
    workflow_id: outbox_id,
    name: 'x',
    request_id: 'r',
    sent_at,
  });
  await db('outbox').insert([sent('out_old', ago(8)), sent('out_new', ago(1)), sent('out_unsent', null)]);
  const user_id = 'usr_1';
  await db('users').insert({ user_id, issuer: 'test', subject: '1', email: 'a@svc.local' });
  const token = (token_id: string, expires_at: Date | null) => ({ token_id, token_hash: token_id, kind: 'user' as const, user_id, expires_at });
  await db('platform_tokens').insert([token('tok_old', ago(31)), token('tok_over', ago(1)), token('tok_lasting', null)]);
  const code = (code_hash: string, expires_at: Date) => ({ code_hash, kind: 'cli_session' as const, expires_at });
  await db('one_time_codes').insert([code('old', ago(2)), code('just', ago(0.5))]);
  await db('rate_limits').insert([
    { key: 'old', expire: Date.now() - 1 },
    { key: 'new', expire: Date.now() + 60_000 },
  ]);
  expect(await expire(db, Date.now())).toMatchObject({ outbox: 1, one_time_codes: 1, platform_tokens: 1, rate_limits: 1 });
  expect((await db('outbox').orderBy('outbox_id')).map((r) => r.outbox_id)).toEqual(['out_new', 'out_unsent']);
  expect((await db('one_time_codes')).map((r) => r.code_hash)).toEqual(['just']);
});
