// What guests of the runtime need: the base image with our two programs in it, and the SDK package that
// builds link against.
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { GuestFile } from '../microvm/images/base.ts';
import { ensureImages, type Images } from '../microvm/images/images.ts';
import { buildSdk } from '#sdk/typescript/build.ts';
import { codeCacheOf, sdkBundle, sidecarBundle } from '../build/guest/plan.ts';
import { makeCodeCache } from './code-cache.ts';
import { guestPaths } from '../guest/config.ts';

/** Images of every guest of this platform; idempotent, for set-up and for the host alike. */
export async function runtimeImages({ cacheDir, onProgress }: { cacheDir: string; onProgress?: (text: string) => void }): Promise<Images> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-guest-'));
  try {
    const programs = [
      { path: guestPaths.entry, from: join(import.meta.dirname, '../guest/agent.ts'), format: 'cjs' as const },
      { path: guestPaths.builder, from: join(import.meta.dirname, '../build/guest/main.ts'), format: 'esm' as const },
    ];
    const guestFiles: GuestFile[] = await Promise.all(
      programs.map(async ({ path, from, format }, index) => {
        const source = join(dir, `${index}.js`);
        await build({ entryPoints: [from], outfile: source, bundle: true, platform: 'node', format, target: 'node24', minify: true, logLevel: 'warning' });
        return { path, source };
      }),
    );
    // The SDK itself is on the guests' disk too: a process that has it loaded is what agents are started
    // from.
    const sdk = join(await sdkFolder(cacheDir), sdkBundle);
    guestFiles.push({ path: guestPaths.sdk, source: sdk }, { path: codeCacheOf(guestPaths.sdk), source: codeCacheOf(sdk) });
    return await ensureImages({ cacheDir, guestFiles, ...(onProgress === undefined ? {} : { onProgress }) });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** The SDK as guests get it (no types), built once per state of its sources. Answers the package's folder. */
export async function sdkFolder(cacheDir: string): Promise<string> {
  const folder = join(cacheDir, 'sdk', await sourcesHash());
  if (
    await stat(join(folder, 'complete')).then(
      () => true,
      () => false,
    )
  )
    return folder;
  await mkdir(join(cacheDir, 'sdk'), { recursive: true });
  const draft = await mkdtemp(join(cacheDir, 'sdk', '.draft-'));
  try {
    await buildSdk(draft, { types: false });
    // What agents load: the entries in one file, so that a build need not read and write the SDK again each
    // time.
    await Promise.all([oneFile(draft, ['index', 'runtime'], sdkBundle), oneFile(draft, ['runtime', 'sidecar'], sidecarBundle)]);
    await Promise.all([makeCodeCache(join(draft, sdkBundle)), makeCodeCache(join(draft, sidecarBundle))]);
    await writeFile(join(draft, 'complete'), '');
    await rename(draft, folder).catch(async (error: unknown) => {
      // Another process was first; its result is the same.
      if (
        !(await stat(join(folder, 'complete')).then(
          () => true,
          () => false,
        ))
      )
        throw error;
    });
    return folder;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function oneFile(folder: string, entries: readonly string[], name: string): Promise<void> {
  await build({
    stdin: { contents: entries.map((entry) => `export * from './dist/${entry}.js';`).join(' '), resolveDir: folder },
    outfile: join(folder, name),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: 'warning',
  });
}

async function sourcesHash(): Promise<string> {
  const hash = createHash('sha256').update('sdk-5');
  const root = join(import.meta.dirname, '../..');
  for (const folder of ['sdk/typescript', 'contract']) {
    const names = (await readdir(join(root, folder), { recursive: true })).filter(
      (name) => /\.(?:ts|json)$/.test(name) && !name.endsWith('.test.ts') && !name.startsWith('dist'),
    );
    for (const name of names.sort()) hash.update(name).update(await readFile(join(root, folder, name)));
  }
  return hash.digest('hex').slice(0, 32);
}
