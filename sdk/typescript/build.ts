// Builds the package as it is published: JavaScript with everything in it, and types with zod's beside them,
// so that it has no dependency. `node sdk/typescript/build.ts` writes sdk/typescript/dist; images and
// projects get the same by buildSdk(folder).
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions, type Metafile } from 'esbuild';
import { writeLicences } from '../licences.ts';
import { writeDeclarations, writeManifest } from '../published.ts';
import { ADAPTERS } from './adapters/names.ts';

const HERE = import.meta.dirname;
const DRAFT = '.svc-build-';
const ABANDONED_MS = 10 * 60_000;
const ENTRIES = ['index.ts', 'runtime.ts', 'sidecar.ts', 'testing.ts'];
/** One for each framework; @svc/sdk/adapters/NAME. */
const ADAPTER_ENTRIES = ADAPTERS.map((name) => `adapters/${name}.ts`);
/** Loads an author's class for the tool; a part of the package, so that both have the same Agent. */
const AUTHOR_PROCESS = 'dev/main.ts';
/** Before anything else: an older Node fails in other words, or finds no tests and calls that a success. */
const NODE_CHECK = `if (Number(process.versions.node.split('.')[0]) < 24) throw new Error(\`@svc/sdk needs Node 24 or newer, and this is Node ${'$'}{process.versions.node}. Install it from https://nodejs.org\`);`;

/**
 * Writes package.json and dist/ into `folder`, which then is the package. Whole or not at all: built beside,
 * then renamed. `types: false` leaves the declarations out, for machines that only run agents.
 */
export async function buildSdk(folder: string, { types = true } = {}): Promise<void> {
  // In node_modules, which every tool ignores: the next build removes the leftovers of a killed one.
  const drafts = join(folder, 'node_modules');
  await mkdir(drafts, { recursive: true });
  await sweep(drafts);
  const draft = await mkdtemp(join(drafts, DRAFT));
  try {
    const [own, adapters] = await Promise.all([bundle(draft), bundleAdapters(draft), types && writeSdkTypes(join(draft, 'types'))]);
    await writeLicences(draft, [own, adapters], process.cwd());
    await replace(draft, join(folder, 'dist'));
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
  if (folder !== HERE) await writeManifest(join(HERE, 'package.json'), join(folder, 'package.json'));
}

/** What a project can import. */
export const typedEntries = [...ENTRIES, ...ADAPTER_ENTRIES].map((entry) => join(HERE, entry));

/** Only the declarations: what the package has in dist/types. */
export const writeSdkTypes = (folder: string): Promise<void> => writeDeclarations(typedEntries, folder);

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

const OPTIONS = {
  bundle: true,
  // One copy of Agent and zod for all entries.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'linked',
  metafile: true,
  logLevel: 'warning',
} satisfies BuildOptions;

/**
 * They import the SDK by its name: where a machine has the SDK as one file of its own, an adapter's Agent is
 * the same class.
 */
async function bundleAdapters(outdir: string): Promise<Metafile> {
  const { metafile } = await build({
    ...OPTIONS,
    entryPoints: ADAPTER_ENTRIES.map((entry) => join(HERE, entry)),
    outdir: join(outdir, 'adapters'),
    chunkNames: 'shared/[hash]',
    plugins: [
      {
        name: 'sdk-by-its-name',
        setup: (builder) => {
          builder.onResolve({ filter: /^(?:\.\.\/)+index\.ts$/ }, () => ({ path: '@svc/sdk', external: true }));
        },
      },
    ],
  });
  return metafile;
}

async function bundle(outdir: string): Promise<Metafile> {
  const { metafile } = await build({
    ...OPTIONS,
    banner: { js: NODE_CHECK },
    entryPoints: [...ENTRIES, AUTHOR_PROCESS].map((entry) => join(HERE, entry)),
    outdir,
    chunkNames: 'chunks/[hash]',
    plugins: [
      {
        name: 'without-compiled-validators',
        setup: (builder) => {
          // The MCP package would bring a validator that compiles code at run time. Arguments are checked by
          // zod here.
          builder.onResolve({ filter: /^@modelcontextprotocol\/(?:server|core)\/_shims$/ }, () => ({ path: join(HERE, 'mcp-shims.ts') }));
        },
      },
    ],
  });
  return metafile;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildSdk(HERE);
