// A Python 3.13 as uv fetches one, for tests without the releases that uv knows: Debian trixie's, with its
// own C library, in an archive and a list of its own.
import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cached } from '../microvm/images/cache.ts';
import { run } from '../microvm/images/tools.ts';

const PACKAGES =
  'python3.13-minimal libpython3.13-minimal libpython3.13-stdlib libc6 libssl3t64 zlib1g libexpat1 libsqlite3-0 libffi8 libbz2-1.0 liblzma5 libuuid1 libgcc-s1 libstdc++6 libzstd1'.split(
    ' ',
  );
const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** The program finds its own libraries wherever it lies. */
const STARTER = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
exec "$here/../lib/native/ld-linux-x86-64.so.2" --library-path "$here/../lib/native" --argv0 "$0" "$here/python3.13.real" "$@"
`;

/** @returns the address of the list, and the release in it */
export async function otherPython(cacheDir: string): Promise<{ list: string; version: string }> {
  const dir = join(cacheDir, 'test');
  const folder = await cached(dir, 'python-3.13-of-debian-2', async (path) => {
    const debs = join(path, 'debs');
    const tree = join(path, 'tree');
    await download(path, debs);
    await mkdir(tree);
    for (const name of await readdir(debs)) await run('dpkg', ['-x', join(debs, name), tree]);
    const python = join(path, 'python');
    const [bin, library, native] = [join(python, 'bin'), join(python, 'lib/python3.13'), join(python, 'lib/native')];
    for (const one of [bin, native]) await mkdir(one, { recursive: true });
    await rename(join(tree, 'usr/lib/python3.13'), library);
    // The first leads out of the tree.
    for (const name of ['sitecustomize.py', 'EXTERNALLY-MANAGED']) await rm(join(library, name), { force: true });
    const libraries = join(tree, 'usr/lib/x86_64-linux-gnu');
    for (const name of await readdir(libraries)) if (/\.so(?:\.|$)/.test(name)) await cp(join(libraries, name), join(native, name), { dereference: true });
    await rename(join(tree, 'usr/bin/python3.13'), join(bin, 'python3.13.real'));
    await writeFile(join(bin, 'python3.13'), STARTER);
    await chmod(join(bin, 'python3.13'), 0o755);
    const archive = join(path, 'cpython.tar.gz');
    await run('tar', ['-czf', archive, '-C', path, 'python']);
    const version = (await run(join(bin, 'python3.13'), ['-V'])).trim().replace('Python ', '');
    await writeFile(join(path, 'version'), version);
    for (const one of [debs, tree, python]) await rm(one, { recursive: true });
  });
  const version = await readFile(join(folder, 'version'), 'utf8');
  const file = join(folder, 'list.json');
  const archive = join(folder, 'cpython.tar.gz');
  const sha256 = createHash('sha256')
    .update(await readFile(archive))
    .digest('hex');
  const [major, minor, patch] = version.split('.').map(Number);
  const entry = { name: 'cpython', arch: { family: 'x86_64', variant: null }, os: 'linux', libc: 'gnu', major, minor, patch, prerelease: '', variant: null };
  const list = { [`cpython-${version}-linux-x86_64-gnu`]: { ...entry, url: pathToFileURL(archive).href, sha256, build: '1' } };
  await writeFile(file, JSON.stringify(list));
  return { list: pathToFileURL(file).href, version };
}

/** By apt, with lists of its own: nothing of this machine is changed. */
async function download(path: string, debs: string): Promise<void> {
  const apt = join(path, 'apt');
  for (const name of ['etc/apt/preferences.d', 'lists/partial', 'cache/archives/partial', 'state']) await mkdir(join(apt, name), { recursive: true });
  const mirror = /(https?:\S+)/.exec(await run('apt-cache', ['policy', 'base-files']))?.[1] ?? '';
  await writeFile(join(apt, 'etc/apt/sources.list'), `deb [signed-by=${KEYS}] ${mirror} trixie main\n`);
  await writeFile(join(apt, 'state/status'), '');
  const own = {
    'Dir::Etc': join(apt, 'etc/apt'),
    'Dir::State': join(apt, 'state'),
    'Dir::State::status': join(apt, 'state/status'),
    'Dir::State::lists': join(apt, 'lists'),
    'Dir::Cache': join(apt, 'cache'),
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Debug::NoLocking': 'true',
    'APT::Update::Error-Mode': 'any',
  };
  const options = Object.entries(own).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  await run('apt-get', ['-qq', 'update', ...options]);
  await mkdir(debs);
  await run('apt-get', ['-qq', 'download', ...PACKAGES, ...options], { cwd: debs });
  await rm(apt, { recursive: true });
}
