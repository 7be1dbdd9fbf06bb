// A database belongs to one platform key: another process with another key is refused.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { secretContext } from '../../agents/secret/context.ts';
import { createVault } from '#drivers/vault/key-file.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { liveAgent } from '#test/support/runs.ts';
import { keyFingerprint, requireOwnKey, unreadableValue } from './key.ts';

let t: TestContext;
beforeAll(async () => {
  t = await testContext();
});
afterAll(() => t.close());

test('the first key is noted, a rotated one is the same, another one is refused', async () => {
  const { db } = t.ctx;
  const [old, fresh] = [randomBytes(32), randomBytes(32)];
  await requireOwnKey(db, createVault([old]));
  await requireOwnKey(db, createVault([fresh, old]));
  expect(await db('installation').select('key_fingerprint')).toEqual([{ key_fingerprint: await keyFingerprint(createVault([old])) }]);
  await expect(requireOwnKey(db, createVault([fresh]))).rejects.toThrow(/another one \([0-9a-f]{16}\) than this database was made with .* Put the key file/);
});

test('a key that does not decrypt what is stored is not noted as the one of the database', async () => {
  const { db } = t.ctx;
  await db('installation').delete();
  const owner = await t.user();
  const secret = { agent_id: (await liveAgent(t.ctx, owner.actor.user_id)).id, name: 'TOKEN', version: 1 };
  const key = randomBytes(32);
  await db('agent_secrets').insert({ ...secret, value_sealed: await createVault([key]).seal(Buffer.from('"x"'), secretContext(secret)) });
  await expect(requireOwnKey(db, createVault([randomBytes(32)]))).rejects.toThrow(/does not decrypt what this database holds/);
  expect(await db('installation')).toEqual([]);
  expect(await unreadableValue(db, createVault([randomBytes(32)]))).toBeDefined();
});
