// The packages of a release, each as its package manager installs it. The same sources make the same bytes.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packCli } from '#cli/package/build.ts';
import { buildClient } from '#sdk/client/build.ts';
import { buildSdk } from '#sdk/typescript/build.ts';
import { cacheFolder, repository } from '../setup/folders.mjs';

const run = promisify(execFile);
/** PyPA's own front end, and the back end that pyproject.toml names. */
const PYTHON_TOOLS = ['build==1.6.1', 'hatchling==1.33.0'];

/** @svc/client, @svc/sdk and @svc/cli as npm packs them; their names in `folder`. */
export async function packNpm(folder: string): Promise<string[]> {
  const draft = await mkdtemp(join(tmpdir(), 'svc-release-'));
  try {
    await buildClient(join(draft, 'client'));
    await buildSdk(join(draft, 'sdk'));
    for (const file of ['README.md', '../../LICENSE', '../../NOTICE'])
      await cp(join(repository, 'sdk/typescript', file), join(draft, 'sdk', file.replace('../../', '')));
    const packed: string[] = [];
    for (const name of ['client', 'sdk']) {
      const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: join(draft, name) });
      packed.push(stdout.trim().split('\n').at(-1) ?? '');
    }
    packed.push((await packCli(folder)).slice(folder.length + 1));
    return packed;
  } finally {
    await rm(draft, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * The wheel and the source distribution of the Python SDK; their names in `folder`. `date` is that of every
 * file in them.
 */
export async function packPython(folder: string, date: string): Promise<string[]> {
  const tools = await pythonTools();
  const draft = await mkdtemp(join(tmpdir(), 'svc-release-'));
  try {
    const source = join(draft, 'source');
    // A copy: what Python compiled beside the sources is in no package.
    await cp(join(repository, 'sdk/python'), source, { recursive: true, filter: (path) => !/\/(?:__pycache__|dist|\.venv|\.\w+_cache)$/.test(path) });
    for (const name of ['LICENSE', 'NOTICE']) await cp(join(repository, name), join(source, name));
    const env = { ...process.env, PYTHONPATH: tools, SOURCE_DATE_EPOCH: String(Date.parse(date) / 1000) };
    await run('python3', ['-m', 'build', '--no-isolation', '--outdir', join(draft, 'out'), source], { env, cwd: draft });
    const names = (await readdir(join(draft, 'out'))).toSorted();
    for (const name of names) await cp(join(draft, 'out', name), join(folder, name));
    return names;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Fetched once, through pip, which knows which index this machine uses. */
async function pythonTools(): Promise<string> {
  const folder = join(cacheFolder(process.env), `release-${PYTHON_TOOLS.join('-').replaceAll('==', '-')}`);
  if (await readdir(folder).catch(() => undefined)) return folder;
  const draft = `${folder}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  await run('python3', ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-compile', '--target', draft, ...PYTHON_TOOLS]);
  await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
  return folder;
}
