// Checks the project's types with the compiler and declarations that the host put beside it.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { runBounded } from './bounded.ts';
import type { Failed } from './check-report.ts';
import { buildPaths, checkToolPaths, type BuildPlan } from './plan.ts';
import { frontendFolder, sdkName } from './project.ts';

const maxOutput = 262_144;
const ownConfig = 'svc-check.tsconfig.json';

/** What the templates of the command line have, for a project without a tsconfig.json. */
const strict = (leftOut: readonly string[]): object => ({
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024'],
    module: 'nodenext',
    types: [sdkName],
    strict: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ['**/*.ts'],
  exclude: ['node_modules', ...leftOut],
});

/** @param within milliseconds */
export async function checkTypes(plan: BuildPlan, within: number): Promise<Failed | undefined> {
  placeDeclarations(join(plan.source, 'node_modules'));
  const theirs = existsSync(join(plan.source, 'tsconfig.json'));
  const config = theirs ? 'tsconfig.json' : ownConfig;
  const frontend = frontendFolder(plan);
  if (!theirs) writeFileSync(join(plan.source, ownConfig), JSON.stringify(strict(frontend === undefined ? [] : [relative(plan.source, frontend)])));
  let output = '';
  const take = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(0, maxOutput);
    process.stderr.write(chunk);
  };
  const command = [join(buildPaths.checks, checkToolPaths.compiler, 'tsc'), '-p', config, '--noEmit', '--pretty', 'false'];
  const { code, late, ms } = await runBounded(command, plan.source, { withinMs: within, onStdout: take, onStderr: take });
  if (!theirs) rmSync(join(plan.source, ownConfig), { force: true });
  if (late) return { sentence: `The types were not checked within ${within / 1_000} seconds.`, failures: [], output };
  // Without one file of TypeScript there is nothing to be wrong.
  if (code === 0 || (!theirs && /error TS18003:/.test(output))) {
    console.error(`Types checked in ${(ms / 1_000).toFixed(1)} s.`);
    return undefined;
  }
  const errors = typeErrors(output);
  if (errors.length === 0) return { sentence: `The compiler ended ${code === null ? 'by a signal' : `with code ${code}`}.`, failures: [], output };
  return { sentence: `The types have ${errors.length === 1 ? 'an error' : `${errors.length} errors`}.`, failures: errors, output: '' };
}

/** Each with the lines that explain it, and its place as `file:line:column`. */
export function typeErrors(output: string): string[] {
  const errors: string[] = [];
  for (const line of output.split('\n')) {
    const placed = /^(.+?)\((\d+),(\d+)\): (error TS\d+: .*)$/.exec(line);
    if (placed !== null) errors.push(`${placed[1]}:${placed[2]}:${placed[3]}: ${placed[4]}`);
    else if (/^error TS\d+: /.test(line)) errors.push(line);
    else if (/^\s+\S/.test(line) && errors.length > 0) errors.push(`${errors.pop()}\n${line}`);
  }
  return errors;
}

/** The SDK's beside its code; Node's where the project has none of its own. */
function placeDeclarations(modules: string): void {
  const types = join(modules, sdkName, 'dist/types');
  if (!existsSync(types)) renameSync(join(buildPaths.checks, checkToolPaths.sdk), types);
  const toolModules = join(buildPaths.checks, checkToolPaths.modules);
  for (const name of ['undici-types', ...readdirSync(join(toolModules, '@types')).map((one) => `@types/${one}`)]) {
    const target = join(modules, name);
    if (existsSync(target)) continue;
    mkdirSync(dirname(target), { recursive: true });
    renameSync(join(toolModules, name), target);
  }
}
