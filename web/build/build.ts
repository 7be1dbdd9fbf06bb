// Builds the dashboard: `node web/build/build.ts FOLDER`. Beside each text file stands the same one packed with gzip, as the API sends it.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { build } from 'vite';
import { options } from './options.ts';

const pack = promisify(gzip);
const TEXT = /\.(js|css|svg|json)$/;

/** What was in `folder` is replaced. */
export async function buildDashboard(folder: string): Promise<void> {
  await build({
    ...options,
    logLevel: 'warn',
    build: {
      outDir: folder,
      emptyOutDir: true,
      manifest: true,
      target: 'es2022',
      // Browsers that know light-dark(); for older ones it would be rewritten in a way that no theme switches.
      cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
      // Several small requests for one page cost less than data in the text of scripts, which the content security policy refuses as fonts and frames.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 700,
    },
  });
  const files = await readdir(folder, { recursive: true });
  await Promise.all(
    files
      .filter((file) => TEXT.test(file))
      .map(async (file) => writeFile(join(folder, `${file}.gz`), await pack(await readFile(join(folder, file)), { level: 9 }))),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder] = process.argv;
  if (folder === undefined) throw new Error('usage: node web/build/build.ts FOLDER');
  await buildDashboard(resolve(folder));
}
