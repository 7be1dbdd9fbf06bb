// An author's project with one framework, installed in one version without others, and the package @svc/sdk
// as it is published; an example's code in it.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { AgentCard } from '../../../../contract/wire/card.ts';
import { nodeWith } from '../../../../test/support/languages/node.ts';
import { builtSdk } from '../../../../test/support/packages.ts';
import type { Provider } from '../../../../test/support/provider/provider.ts';
import type { Call, Outcome } from './driver.ts';

const run = promisify(execFile);
const EXAMPLES = join(import.meta.dirname, '../../../../examples');
const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

export interface AdapterProject {
  folder: string;
  /** What the compiler says; empty: nothing. */
  typeErrors: () => Promise<string>;
  /** Loads `file` and calls its agent, in a process of its own. */
  call: (call: Partial<Call>, provider?: Provider, during?: (leave: () => void) => void) => Promise<Outcome>;
  card: (file?: string) => Promise<AgentCard>;
  remove: () => Promise<void>;
}

/** The newest, which stands last; with SVC_SLOW=1 all of them. */
export function versionsToTest(versions: Readonly<Record<string, string[]>>): [name: string, packages: string[]][] {
  const all = Object.entries(versions);
  return process.env['SVC_SLOW'] === '1' ? all : all.slice(-1);
}

/**
 * @param example a folder of examples/ @param files in its place, or beside it @param packages `name@version`
 * of each
 */
export async function adapterProject(
  packages: readonly string[],
  { example, files = {} }: { example?: string; files?: Readonly<Record<string, string>> },
): Promise<AdapterProject> {
  // Below the folder of the packages, where node looks for what is not in its own.
  const folder = await mkdtemp(join(await nodeWith(packages), 'project-'));
  await cp(await builtSdk(), join(folder, 'node_modules/@svc/sdk'), { recursive: true });
  if (example !== undefined) await cp(join(EXAMPLES, example), folder, { recursive: true, filter: (path) => !/node_modules|package-lock/.test(path) });
  const driver = await readFile(join(import.meta.dirname, 'driver.ts'), 'utf8');
  const written = { 'package.json': '{ "type": "module" }', ...files, 'driver.ts': driver };
  for (const [name, text] of Object.entries(written)) await writeFile(join(folder, name), text);
  const call: AdapterProject['call'] = async (wanted, provider, during) => {
    const model = provider && {
      OPENAI_BASE_URL: provider.url,
      OPENAI_API_KEY: 'sk-test',
      GEMINI_API_KEY: 'test',
      GOOGLE_GEMINI_BASE_URL: `http://${provider.host}`,
    };
    const env = { ...process.env, ...model, REFUNDS_FILE: join(folder, 'refunds.jsonl') };
    const running = run(process.execPath, ['--disable-warning=ExperimentalWarning', 'driver.ts', JSON.stringify(wanted)], { cwd: folder, env });
    during?.(() => running.child.stdin?.write('leave\n'));
    const { stdout } = await running;
    // Safe: the driver writes it.
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Outcome;
  };
  return {
    folder,
    call,
    card: async (file) => (await call({ ...(file !== undefined && { file }) })).card,
    typeErrors: async () => {
      const types = dirname(dirname(createRequire(import.meta.url).resolve('@types/node/package.json')));
      const strict = ['--ignoreConfig', '--noEmit', '--strict', '--noUncheckedIndexedAccess', '--skipLibCheck'];
      const form = ['--target', 'es2024', '--module', 'nodenext', '--allowImportingTsExtensions', '--typeRoots', types, '--types', 'node'];
      const names = ['agent.ts', ...Object.keys(files).filter((name) => name.endsWith('.ts'))];
      const said = await run(process.execPath, [TSC, ...strict, ...form, ...new Set(names)], { cwd: folder }).catch((error: { stdout: string }) => error);
      return said.stdout;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
