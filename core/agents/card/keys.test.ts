import { expect, test } from 'vitest';
import { createVault } from '../../../drivers/vault/key-file.ts';
import { cardKey, publishedCardKeys } from './keys.ts';

const vault = () => createVault([Buffer.alloc(32, 1)]);

test('every process has the same key, each quarter another, and the last one stays published', () => {
  const [autumn, winter] = [Date.UTC(2026, 10, 1), Date.UTC(2027, 0, 1)];
  const key = cardKey(vault(), autumn);
  expect(cardKey(vault(), autumn)).toEqual(key);
  expect(cardKey(vault(), winter).publicJwk.kid).not.toBe(key.publicJwk.kid);
  expect(cardKey(createVault([Buffer.alloc(32, 2)]), autumn).publicJwk.x).not.toBe(key.publicJwk.x);
  const published = publishedCardKeys(vault(), winter).keys;
  expect(published).toEqual([cardKey(vault(), winter).publicJwk, key.publicJwk]);
  expect(JSON.stringify(published)).not.toContain(key.d);
});
