// Builds the tool as it is published, @svc/cli: one bundle, the templates, the SDKs. `node
// cli/package/build.ts FOLDER` writes the package and packs it.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PassThrough, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { build, type Metafile } from 'esbuild';
import manifest from '../../package.json' with { type: 'json' };
import { writeLicences } from '#sdk/licences.ts';
import { buildSdk } from '#sdk/typescript/build.ts';
import { VERSION } from '#version.ts';
import { completionScript } from '../completion/scripts.ts';
import { ownTable, SHELLS } from '../completion/table.ts';
import { helpPage } from '../parser/help.ts';
import { packSdk } from '../project/vendor.ts';
import { bundleBox } from './box.ts';
import { whereItStood } from './where-it-stood.ts';
import { contextOf } from '../parser/run.ts';
import { pathsOf, toolOf } from '../parser/tool.ts';
import type { Prepared } from './prepared.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const HERE = fileURLToPath(new URL('./', import.meta.url));

/** Writes the package into `folder`, which is empty or not there. */
export async function buildCli(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const [tool, box] = await Promise.all([bundle(folder), bundleBox(), assets(folder), sdks(folder)]);
  await writeFile(join(folder, 'dist/box.mjs'), box.program);
  await writeLicences(join(folder, 'dist'), [tool, box.metafile], ROOT);
  await writeFile(join(folder, 'dist/prepared.json'), JSON.stringify(await preparedAnswers()));
  const own = {
    name: '@svc/cli',
    version: VERSION,
    description: 'The command line tool of the svc platform: make, check, run, deploy and call agents.',
    keywords: ['svc', ...manifest.keywords],
    license: manifest.license,
    author: manifest.author,
    type: 'module',
    bin: { svc: 'bin.mjs' },
    engines: { node: '>=24' },
    // No others: only svc build needs esbuild, and asks for it. Without this one types are not checked.
    optionalDependencies: { typescript: manifest.devDependencies.typescript },
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
}

async function bundle(folder: string): Promise<Metafile> {
  const { metafile } = await build({
    // Aliases are looked for from here.
    absWorkingDir: ROOT,
    entryPoints: { svc: join(ROOT, 'cli/main.ts'), prepared: join(HERE, 'prepared.ts') },
    outdir: join(folder, 'dist'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // Beside the entry, so that the way from each file to the package is the same.
    chunkNames: '[hash]',
    external: ['esbuild'],
    // Its CommonJS form hides its own imports from bundlers.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    // clipanion names its entry without an extension; packages in CommonJS call require().
    resolveExtensions: ['.ts', '.js', '.mjs', '.json'],
    banner: { js: `import { createRequire as svcRequire } from 'node:module'; const require = svcRequire(import.meta.url);` },
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'linked',
    metafile: true,
    logLevel: 'error',
    plugins: [whereItStood],
  });
  return metafile;
}

async function preparedAnswers(): Promise<Prepared> {
  // Pages say what the defaults of a clean environment are.
  const context = contextOf({
    env: {},
    home: '~',
    repository: '',
    stdin: Readable.from([]),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    terminal: false,
  });
  const cli = await toolOf(false);
  const paths = pathsOf(cli.commands).map((path) => path.join(' '));
  const keys = ['', ...paths, ...paths.flatMap((path) => (path.includes(' ') ? [path.split(' ')[0] ?? ''] : []))];
  const table = ownTable(cli.definitions());
  const pageOf = (words: string[]): string => helpPage(cli, context, words);
  return {
    version: VERSION,
    pages: Object.fromEntries(keys.map((words) => [words, pageOf(words.split(' ').filter(Boolean))])),
    completion: Object.fromEntries(SHELLS.map((shell) => [shell, completionScript(shell, table)])),
  };
}

async function assets(folder: string): Promise<void> {
  for (const name of ['bin.mjs', 'keep-compiled.mjs', 'README.md']) await cp(join(HERE, name), join(folder, name));
  for (const name of ['LICENSE', 'NOTICE']) await cp(join(ROOT, name), join(folder, name));
  await cp(join(ROOT, 'cli/templates'), join(folder, 'cli/templates'), { recursive: true });
  // The launcher of a clone; links to it lead to the package's own.
  await writeFile(join(folder, 'cli/bin.mjs'), `#!/usr/bin/env node\nawait import('../bin.mjs');\n`, { mode: 0o755 });
}

async function sdks(folder: string): Promise<void> {
  const sdk = join(folder, 'sdk/typescript');
  await mkdir(sdk, { recursive: true });
  await buildSdk(sdk);
  await rm(join(sdk, 'node_modules'), { recursive: true, force: true });
  await packSdk(sdk, join(sdk, `svc-sdk-${VERSION}.tgz`));
  for (const path of ['python/src', 'python/pyproject.toml', 'python/README.md', 'go/main.go', 'rust/src/main.rs', 'rust/src/json.rs']) {
    await cp(join(ROOT, 'sdk', path), join(folder, 'sdk', path), { recursive: true, filter: (from) => !/__pycache__|\.egg-info/.test(from) });
  }
}

/** Path of the archive that npm installs. */
export async function packCli(folder: string): Promise<string> {
  const draft = await mkdtemp(join(tmpdir(), 'svc-cli-package-'));
  try {
    await buildCli(draft);
    await mkdir(folder, { recursive: true });
    const { stdout } = await promisify(execFile)('npm', ['pack', '--silent', '--pack-destination', resolve(folder)], { cwd: draft });
    return join(resolve(folder), stdout.trim().split('\n').at(-1) ?? '');
  } finally {
    await rm(draft, { recursive: true, force: true, maxRetries: 3 });
  }
}

// The archive's path is what the command is for.
if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${await packCli(process.argv[2] ?? '.')}\n`);
