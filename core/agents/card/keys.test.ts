import { expect, test } from 'vitest';
import { createVault } from '#drivers/vault/key-file.ts';
import { cardKey, publishedCardKeys } from './keys.ts';

const vault = () => createVault([Buffer.alloc(32, 1)]);

test('every process has the same key, each quarter another, and the last one stays published', async () => {
  const [autumn, winter] = [Date.UTC(2026, 10, 1), Date.UTC(2027, 0, 1)];
  const key = await cardKey(vault(), autumn);
  expect(await cardKey(vault(), autumn)).toEqual(key);
  expect((await cardKey(vault(), winter)).publicJwk.kid).not.toBe(key.publicJwk.kid);
  expect((await cardKey(createVault([Buffer.alloc(32, 2)]), autumn)).publicJwk.x).not.toBe(key.publicJwk.x);
  const published = (await publishedCardKeys(vault(), winter)).keys;
  expect(published).toEqual([(await cardKey(vault(), winter)).publicJwk, key.publicJwk]);
  expect(JSON.stringify(published)).not.toContain(key.d);
});
