// Builds the dashboard: `node web/build/build.ts FOLDER`. Beside each text file stands the same one packed,
// as the API sends it: with brotli, and with gzip for programs that do not know that.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { build } from 'vite';
import { writeMarkdown } from './docs/markdown.ts';
import { options, WEB } from './options.ts';
import { MAIN, writePageFiles } from './pages/files.ts';

const packings = { gz: promisify(gzip), br: promisify(brotliCompress) };
/** Lists that open beside a field, and what places them there. */
const PICKERS = /\/@floating-ui\/|@mantine\/core\/esm\/(?:components\/(?:Combobox|Popover|Select|Autocomplete|Pill\w*|TagsInput)|utils\/Floating)\//;
/** Dozens of small files for one page take longer to ask for, and pack worse. */
const CHUNKS = [
  // With the first script, which runs before the others.
  { name: 'begin', test: /\/web\/shell\/next-frame\.ts$|vite\/preload-helper/, priority: 1 },
  // Libraries that the first page needs: they change only with the lock file.
  { name: 'libraries', tags: ['$initial' as const], test: /node_modules/ },
  // What the first page needs of ours.
  { name: 'app', tags: ['$initial' as const], minShareCount: 2 },
  // What many pages need: tables, fields, badges.
  { name: 'common', minShareCount: 16, test: (id: string) => /node_modules|\/web\/kit\//.test(id) && !PICKERS.test(id) },
  // Pages that have no such list do without.
  { name: 'pickers', minShareCount: 4, test: PICKERS },
];
/**
 * Each page runs them: the browser compiles all of their functions while they arrive, on another thread,
 * instead of each when it is first called.
 */
const COMPILED_AT_ONCE = new Set(['main', ...CHUNKS.map(({ name }) => name).filter((name) => name !== 'pickers')]);
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
      // What browsers get contains code of these packages: the API serves the file.
      license: { fileName: 'licenses.md' },
      target: 'es2022',
      // Browsers that know light-dark(); for older ones it would be rewritten in a way that no theme
      // switches.
      cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
      // Several small requests for one page cost less than data in the text of scripts, which the content
      // security policy refuses as fonts and frames.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 700,
      rolldownOptions: {
        // The second is loaded by the first.
        input: [join(WEB, 'index.html'), join(WEB, MAIN)],
        output: { codeSplitting: { groups: CHUNKS }, postBanner: ({ name }) => (COMPILED_AT_ONCE.has(name) ? '//# allFunctionsCalledOnLoad' : '') },
      },
    },
  });
  const files = (await readdir(folder, { recursive: true })).filter((file) => TEXT.test(file)).map((file) => join(folder, file));
  await Promise.all(files.map(packed));
  // After that: the API reads them, no browser does.
  await writePageFiles(folder);
  await writeMarkdown(folder, join(WEB, '..'));
  await buildServer(join(folder, 'server'));
}

/** The thread that renders pages for the API (web/server/), with all that it needs. */
async function buildServer(folder: string): Promise<void> {
  await build({
    ...options,
    logLevel: 'warn',
    ssr: { noExternal: true, target: 'node' },
    build: { ssr: join(WEB, 'server/worker.ts'), outDir: folder, emptyOutDir: true, target: 'node24', copyPublicDir: false, chunkSizeWarningLimit: 5000 },
  });
}

async function packed(file: string): Promise<void> {
  const content = await readFile(file);
  const { gz, br } = packings;
  await Promise.all([writeFile(`${file}.gz`, await gz(content, { level: 9 })), writeFile(`${file}.br`, await br(content))]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder] = process.argv;
  if (folder === undefined) throw new Error('usage: node web/build/build.ts FOLDER');
  await buildDashboard(resolve(folder));
}
