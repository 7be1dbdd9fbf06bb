// What another place hands out as a Python is not taken: uv compares its hash with the one of the list.
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { create } from 'tar';
import { expect, onTestFinished, test } from 'vitest';
import { cacheFolder } from '#stack/setup/folders.mjs';
import { ensureInterpreter } from './interpreter.ts';
import { ensureWheels } from './wheels.ts';

test('an interpreter whose content is not the one of the list is refused, and nothing of it is kept', async () => {
  const wheels = await ensureWheels(join(cacheFolder(process.env), 'microvm'), '3.13', () => undefined);
  const dir = await mkdtemp(join(tmpdir(), 'svc-interpreter-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, 'python3.13'), '#!/bin/sh\necho yours\n', { mode: 0o755 });
  const archive = join(dir, 'python.tar.gz');
  await create({ cwd: dir, file: archive, gzip: true, prefix: 'python/bin' }, ['python3.13']);
  const list = join(dir, 'list.json');
  const offer = async (sha256: string): Promise<string> => {
    const entry = { name: 'cpython', arch: { family: 'x86_64', variant: null }, os: 'linux', libc: 'gnu', major: 3, minor: 13, patch: 1, prerelease: '' };
    await writeFile(
      list,
      JSON.stringify({ 'cpython-3.13.1-linux-x86_64-gnu': { ...entry, variant: null, build: '1', url: pathToFileURL(archive).href, sha256 } }),
    );
    return pathToFileURL(list).href;
  };
  const digest = createHash('sha256')
    .update(await readFile(archive))
    .digest('hex');
  process.env['UV_PYTHON_DOWNLOADS_JSON_URL'] = await offer(digest.replace(/^./, digest.startsWith('0') ? '1' : '0'));
  onTestFinished(() => void delete process.env['UV_PYTHON_DOWNLOADS_JSON_URL']);
  const cache = join(dir, 'cache');
  await expect(ensureInterpreter(cache, '3.13', wheels, () => undefined, pathToFileURL(list).href)).rejects.toThrow(
    'Python 3.13 was not taken: its content is not the one that the list has the hash of.',
  );
  expect(await readdir(cache)).toEqual([]);
  await rm(archive);
  await expect(ensureInterpreter(cache, '3.13', wheels, () => undefined, pathToFileURL(list).href)).rejects.toThrow(
    /Python 3\.13 could not be fetched by this runtime host\. Python 3\.11 needs no download\..*UV_PYTHON_INSTALL_MIRROR/,
  );
});
