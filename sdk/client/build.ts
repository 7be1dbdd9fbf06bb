// Builds @svc/client as it is published. `node sdk/client/build.ts [FOLDER]` writes the package into FOLDER,
// or its dist/ here.
import { cp, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { writeDeclarations, writeManifest } from '../published.ts';

const HERE = import.meta.dirname;

export const entry = join(HERE, 'index.ts');

/** `folder` is empty or not there. */
export async function buildClient(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await Promise.all([
    build({
      entryPoints: [entry],
      outdir: join(folder, 'dist'),
      bundle: true,
      format: 'esm',
      // Nothing of Node: what runs in a browser runs there, too.
      platform: 'browser',
      target: 'es2022',
      minifySyntax: true,
      minifyWhitespace: true,
      logLevel: 'warning',
    }),
    writeDeclarations([entry], join(folder, 'dist/types')),
    ...(folder === HERE ? [] : files(folder)),
  ]);
}

function files(folder: string): Promise<void>[] {
  return [
    writeManifest(join(HERE, 'package.json'), join(folder, 'package.json')),
    cp(join(HERE, 'README.md'), join(folder, 'README.md')),
    ...['LICENSE', 'NOTICE'].map((name) => cp(join(HERE, '../..', name), join(folder, name))),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildClient(process.argv[2] === undefined ? HERE : resolve(process.argv[2]));
