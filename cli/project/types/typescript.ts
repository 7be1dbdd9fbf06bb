// The TypeScript compiler over what an agent consists of: its file and all that it imports, by the project's
// own tsconfig.json.
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run, tail } from '../languages/run.ts';
import type { Problem } from '../problem.ts';
import type { Entry } from '../read.ts';
import { isAboutProject, problemsIn } from './messages.ts';

const CHECK_MS = 120_000;

/** As generous as a program can be that is checked at all. */
const WITHOUT_CONFIG = {
  target: 'es2024',
  lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable'],
  // As the bundler of a deploy finds modules.
  module: 'esnext',
  moduleResolution: 'bundler',
  types: ['@svc/sdk'],
  strict: true,
  noImplicitAny: false,
  skipLibCheck: true,
};

/** What is wrong. `say` gets why nothing was checked. */
export async function typescriptProblems(folder: string, { file, language }: Entry, say: (text: string) => void): Promise<Problem[]> {
  const config = join(folder, 'tsconfig.json');
  const configured = existsSync(config);
  if (language !== 'typescript' && !configured) return [];
  const compiler = compilerFor(folder);
  if (!compiler) {
    say('Types are not checked: npm install --save-dev typescript\n');
    return [];
  }
  const first = await check(folder, file, compiler.tsc, configured ? { extends: config } : {});
  // A configuration for another version of the compiler says nothing about the code.
  const anew = configured && !compiler.own && first.output.some((line) => isAboutProject(line));
  const { code, output } = anew ? await check(folder, file, compiler.tsc, {}) : first;
  if (code === 0) return [];
  const problems = await problemsIn(output, folder);
  if (problems === undefined) say(`Types are not checked: ${tail(output.join('\n'), 2) || 'the TypeScript compiler ended early'}\n`);
  return problems ?? [];
}

interface Compiler {
  tsc: string;
  /** Of the project itself. */
  own: boolean;
}

/** The project's own, else the one that came with this tool. */
function compilerFor(folder: string): Compiler | undefined {
  for (const [from, own] of [
    [pathToFileURL(join(folder, 'package.json')).href, true],
    [import.meta.url, false],
  ] as const) {
    try {
      const manifest = createRequire(from).resolve('typescript/package.json');
      const tsc = join(dirname(manifest), 'bin/tsc');
      if (existsSync(tsc)) return { tsc, own };
    } catch {
      // The next one.
    }
  }
  return undefined;
}

/** What is known of unchanged files is kept: a second check takes a third of the first. */
async function check(folder: string, file: string, tsc: string, base: { extends?: string }): Promise<{ code: number | null; output: string[] }> {
  const cache = join(folder, '.svc', 'types');
  const config = join(cache, 'tsconfig.json');
  const options = {
    ...(base.extends === undefined && WITHOUT_CONFIG),
    allowImportingTsExtensions: true,
    noEmit: true,
    incremental: true,
    tsBuildInfoFile: join(cache, `${base.extends === undefined ? 'default' : 'own'}.tsbuildinfo`),
  };
  // Declarations belong to it though nothing imports them.
  const include = [`${folder}/**/*.d.ts`];
  const exclude = ['node_modules', '.svc', 'dist', 'build', 'frontend'].map((name) => `${folder}/**/${name}`);
  const text = `${JSON.stringify({ ...base, compilerOptions: options, files: [file], include, exclude, references: [] }, null, 2)}\n`;
  await mkdir(cache, { recursive: true });
  if ((await readFile(config, 'utf8').catch(() => '')) !== text) await writeFile(config, text);
  const { code, stdout, stderr } = await run(process.execPath, [tsc, '-p', config, '--pretty', 'false'], { cwd: folder, withinMs: CHECK_MS });
  return { code, output: `${stdout}${stderr}`.split('\n') };
}
