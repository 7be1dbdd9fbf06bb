// Migration 0022 over rows of before it: which sessions and identities count as what afterwards.
import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '#test/support/servers.ts';
import { down, up } from './migrations/0022_sso_scope.ts';
import { createPool } from './pool.ts';

let db: Knex;
beforeAll(async () => {
  db = createPool({ connectionString: (await testDatabase()).url });
});
afterAll(() => db.destroy());

test('sessions of before act for the organization only; who had linked their account has linked it', async () => {
  await down(db);
  const insert = (table: string, row: object) => db(table).insert(row);
  const at = new Date('2026-10-01T12:00:00Z');
  for (const user_id of ['usr_linked', 'usr_joined', 'usr_again', 'org_1'])
    await insert('users', { user_id, issuer: 'test', subject: user_id, email: 'a@x.example' });
  await insert('organizations', { organization_id: 'org_1', slug: 'acme', name: 'Acme', created_at: at });
  const session = { session_id: 'ses_1', token_hash: 'one', user_id: 'usr_linked', expires_at: at, signed_in_at: at, sso_connection_id: 'sso_1' };
  await insert('web_sessions', session);
  await insert('platform_tokens', { token_id: 'tok_1', token_hash: 'two', kind: 'user', user_id: 'usr_linked', signed_in_at: at, sso_connection_id: 'sso_1' });
  const identity = async (user_id: string, how: string | undefined, logged = at): Promise<void> => {
    const key = { organization_id: 'org_1', issuer: 'https://idp.example', subject: user_id };
    await insert('sso_identities', { ...key, user_id, created_at: at, last_used_at: at });
    const row = { audit_id: `aud_${user_id}`, at: logged, actor_kind: 'user', action: 'organization.sso_link', target_id: user_id, request_id: 'req_1' };
    await insert('audit_log', { ...row, organization_id: 'org_1', details: JSON.stringify({ email: 'a@x.example', how }) });
  };
  await identity('usr_linked', 'own session', new Date(at.getTime() + 800));
  await identity('usr_joined', 'address');
  // Another identity of theirs was linked, long before.
  await identity('usr_again', 'own session', new Date(at.getTime() - 86_400_000));

  await up(db);
  expect(await db('web_sessions').pluck('sso_whole_account')).toEqual([false]);
  expect(await db('platform_tokens').pluck('sso_whole_account')).toEqual([false]);
  expect(await db('sso_identities').orderBy('user_id').select('user_id', 'linked_at')).toEqual([
    { user_id: 'usr_again', linked_at: null },
    { user_id: 'usr_joined', linked_at: null },
    { user_id: 'usr_linked', linked_at: at },
  ]);
});
