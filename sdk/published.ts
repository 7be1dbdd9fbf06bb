// What packages of ours have beside their code.
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const { resolve: locate } = createRequire(import.meta.url);

/** package.json without the scripts that build the package. */
export async function writeManifest(from: string, to: string): Promise<void> {
  const { scripts: _, ...manifest }: Record<string, unknown> = JSON.parse(await readFile(from, 'utf8'));
  await writeFile(to, `${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * Declarations of a package without dependencies, zod's where TypeScript looks for them from there. Of the
 * files `entries` and all they import, into the folder `types`, at the paths that they have in the
 * repository. `isChecked`: a type error fails it; without, it takes half the time and writes the same.
 */
export async function writeDeclarations(entries: readonly string[], types: string, { isChecked = false } = {}): Promise<void> {
  await mkdir(types, { recursive: true });
  const options = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      noCheck: !isChecked,
      rewriteRelativeImportExtensions: true,
      rootDir: ROOT,
      outDir: types,
      typeRoots: [join(ROOT, 'node_modules/@types')],
    },
    include: [],
    files: entries,
  };
  const config = join(types, 'tsconfig.json');
  await writeFile(config, JSON.stringify(options));
  const tsc = join(dirname(locate('typescript/package.json')), 'bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', config]);
  await rm(config);
  // Found from every declaration by the name it is imported by, as any package is; only its declarations and
  // package.json, which names them.
  const zod = dirname(locate('zod/package.json'));
  const unneeded = /\.(?:c?js|cts|map|md)$|\/(?:src|mini|v3)$/;
  await cp(zod, join(types, 'node_modules/zod'), { recursive: true, filter: (source) => !unneeded.test(source.slice(zod.length)) });
}
