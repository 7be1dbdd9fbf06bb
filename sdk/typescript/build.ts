// Builds the package as it is published: JavaScript with everything in it, and types with zod's beside them, so that it has no dependency.
// `node sdk/typescript/build.ts` writes sdk/typescript/dist; images and projects get the same by buildSdk(folder).
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const HERE = import.meta.dirname;
const DRAFT = '.svc-build-';
const ABANDONED_MS = 10 * 60_000;
const ENTRIES = ['index.ts', 'runtime.ts', 'sidecar.ts', 'testing.ts'];
/** Loads an author's class for the tool; a part of the package, so that both have the same Agent. */
const AUTHOR_PROCESS = 'dev/main.ts';
/** Before anything else: an older Node fails in other words, or finds no tests and calls that a success. */
const NODE_CHECK = `if (Number(process.versions.node.split('.')[0]) < 24) throw new Error(\`@svc/sdk needs Node 24 or newer, and this is Node ${'$'}{process.versions.node}. Install it from https://nodejs.org\`);`;
const { resolve: locate } = createRequire(import.meta.url);

/**
 * Writes package.json and dist/ into `folder`, which then is the package. Whole or not at all: built beside, then renamed.
 * `types: false` leaves the declarations out, for machines that only run agents.
 */
export async function buildSdk(folder: string, { types = true } = {}): Promise<void> {
  // In node_modules, which every tool overlooks: what a killed build leaves behind disturbs nobody and goes with the next.
  const drafts = join(folder, 'node_modules');
  await mkdir(drafts, { recursive: true });
  await sweep(drafts);
  const draft = await mkdtemp(join(drafts, DRAFT));
  try {
    await Promise.all([bundle(draft), types && declarations(draft)]);
    await replace(draft, join(folder, 'dist'));
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
  if (folder !== HERE) await cp(join(HERE, 'package.json'), join(folder, 'package.json'));
}

async function sweep(drafts: string): Promise<void> {
  for (const name of await readdir(drafts)) {
    const draft = join(drafts, name);
    const age = Date.now() - ((await stat(draft).catch(() => undefined))?.mtimeMs ?? Date.now());
    if (name.startsWith(DRAFT) && age > ABANDONED_MS) await rm(draft, { recursive: true, force: true });
  }
}

/** Two builds may end at the same moment; the same sources make the same package, so the later one wins. */
async function replace(draft: string, dist: string, attempts = 5): Promise<void> {
  await rm(dist, { recursive: true, force: true });
  await rename(draft, dist).catch(async (error: unknown) => {
    const taken = error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST');
    if (!taken || attempts === 0) throw error;
    await replace(draft, dist, attempts - 1);
  });
}

async function bundle(outdir: string): Promise<void> {
  await build({
    banner: { js: NODE_CHECK },
    entryPoints: [...ENTRIES, AUTHOR_PROCESS].map((entry) => join(HERE, entry)),
    outdir,
    bundle: true,
    // One copy of Agent and zod for all entries.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    chunkNames: 'chunks/[hash]',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'linked',
    logLevel: 'warning',
    plugins: [
      {
        name: 'without-compiled-validators',
        setup: (builder) => {
          // The MCP package would bring a validator that compiles code at run time. Arguments are checked by zod here.
          builder.onResolve({ filter: /^@modelcontextprotocol\/(?:server|core)\/_shims$/ }, () => ({ path: join(HERE, 'mcp-shims.ts') }));
        },
      },
    ],
  });
}

async function declarations(outdir: string): Promise<void> {
  const types = join(outdir, 'types');
  const options = {
    extends: join(HERE, '../../tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rewriteRelativeImportExtensions: true,
      rootDir: join(HERE, '../..'),
      outDir: types,
      typeRoots: [join(HERE, '../../node_modules/@types')],
    },
    include: [],
    files: ENTRIES.map((entry) => join(HERE, entry)),
  };
  const config = join(outdir, 'tsconfig.json');
  await writeFile(config, JSON.stringify(options));
  const tsc = join(dirname(locate('typescript/package.json')), 'bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', config]);
  await rm(config);
  // Found from every declaration by the name it is imported by, as any package is; only its declarations and package.json, which names them.
  const zod = dirname(locate('zod/package.json'));
  const unneeded = /\.(?:c?js|cts|map|md)$|\/(?:src|mini|v3)$/;
  await cp(zod, join(types, 'node_modules/zod'), { recursive: true, filter: (source) => !unneeded.test(source.slice(zod.length)) });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildSdk(HERE);
