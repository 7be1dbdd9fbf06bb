import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createVault, openKeyFile } from './key-file.ts';

const key = () => new Uint8Array(randomBytes(32));
const secret = new TextEncoder().encode('a secret, and then some');

test('what was sealed opens again, in its own place only', async () => {
  const vault = createVault([key()]);
  const sealed = await vault.seal(secret, 'instances:ins_1:api_key');
  expect(await vault.open(sealed, 'instances:ins_1:api_key')).toEqual(secret);
  await expect(vault.open(sealed, 'instances:ins_2:api_key')).rejects.toMatchObject({ code: 'sealed_value_invalid' });
  expect(await vault.seal(secret, 'instances:ins_1:api_key')).not.toBe(sealed);
});

test('an empty value is a value', async () => {
  const vault = createVault([key()]);
  expect(await vault.open(await vault.seal(new Uint8Array(), 'x'), 'x')).toEqual(new Uint8Array());
});

test('every changed character is noticed', async () => {
  const vault = createVault([key()]);
  const sealed = await vault.seal(secret, 'x');
  for (let at = 0; at < sealed.length; at++) {
    const altered = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`;
    await expect(vault.open(altered, 'x'), `character ${at}`).rejects.toMatchObject({ code: 'sealed_value_invalid' });
  }
  for (const junk of ['', '.', 'v1', 'v1...', `${sealed}.x`, sealed.slice(0, -1)]) {
    await expect(vault.open(junk, 'x')).rejects.toMatchObject({ code: 'sealed_value_invalid' });
  }
});

test('a new first key seals; values of the old one still open, and derived keys stay', async () => {
  const [old, fresh] = [key(), key()];
  const before = createVault([old]);
  const after = createVault([fresh, old]);
  const sealed = await before.seal(secret, 'x');
  expect(await after.open(sealed, 'x')).toEqual(secret);
  await expect(before.open(await after.seal(secret, 'x'), 'x')).rejects.toMatchObject({ code: 'sealed_value_invalid' });
  expect(await after.derive('a')).toEqual(await before.derive('a'));
});

test('derived keys differ by purpose and by root', async () => {
  const vault = createVault([key()]);
  const derived = await vault.derive('a');
  expect(derived).toHaveLength(32);
  expect(await vault.derive('a')).toEqual(derived);
  expect(await vault.derive('b')).not.toEqual(derived);
  expect(await createVault([key()]).derive('a')).not.toEqual(derived);
});

test('a key file is read; a damaged one says so', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-vault-'));
  try {
    const path = join(folder, 'platform.key');
    await writeFile(path, `${randomBytes(32).toString('base64url')}\n`);
    const vault = await openKeyFile(path);
    expect(await vault.open(await vault.seal(secret, 'x'), 'x')).toEqual(secret);
    for (const damaged of ['', 'short', `${randomBytes(31).toString('base64url')}\n`]) {
      await writeFile(path, damaged);
      await expect(openKeyFile(path)).rejects.toMatchObject({ code: 'key_file_invalid' });
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
