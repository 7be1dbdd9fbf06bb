// Projects that the platform wrote, checked against everything that an author's own are: TypeScript, their
// tests, the tool. starts: docs/samples/register.ts sdk/typescript/
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type Checked, checkProject } from '#cli/project/check.ts';
import { packProject, type ProjectFile } from '#core/agents/source/pack.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** A text that becomes code wherever it is not quoted as it must be. */
export const HOSTILE = `it's "quoted" \\ \`\${x}\` \u2028 */ // end`;

export class GeneratedProjects {
  readonly #folder: string;
  readonly #names: readonly string[];

  private constructor(folder: string, names: readonly string[]) {
    this.#folder = folder;
    this.#names = names;
  }

  /** By name: each in a folder of its own, inside the clone, where packages are found. */
  static async write(projects: Readonly<Record<string, readonly ProjectFile[]>>): Promise<GeneratedProjects> {
    const folder = await mkdtemp(join(root, '.svc-generated-'));
    for (const [name, files] of Object.entries(projects)) for await (const _ of await packProject(join(folder, name), files));
    return new GeneratedProjects(folder, Object.keys(projects));
  }

  /** All of them at once, by the options of the first. @throws Error with what the compiler said */
  async typeCheck(): Promise<void> {
    const sdk = (entry: string): string[] => [join(root, `sdk/typescript/${entry}.ts`)];
    const tsconfig = {
      extends: `./${this.#names[0]}/tsconfig.json`,
      compilerOptions: { paths: { '@svc/sdk': sdk('index'), '@svc/sdk/testing': sdk('testing') }, types: ['node'], noUncheckedIndexedAccess: true },
      include: ['*/**/*.ts'],
    };
    for await (const _ of await packProject(this.#folder, [{ path: 'tsconfig.json', content: JSON.stringify(tsconfig) }]));
    await heard(run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json'], { cwd: this.#folder }));
  }

  /** How many passed. @param tests files of the project @throws Error with what they said when one fails */
  async runTests(name: string, tests: readonly string[]): Promise<number> {
    const { VITEST: _, NODE_OPTIONS: __, NODE_TEST_CONTEXT: ___, ...env } = process.env;
    const register = pathToFileURL(join(root, 'docs/samples/register.ts')).href;
    const options = ['--import', register, '--test', '--test-reporter=tap', '--test-concurrency=1', ...tests];
    const { stdout } = await heard(run(process.execPath, options, { cwd: join(this.#folder, name), env }));
    return Number(/^# pass (\d+)$/m.exec(stdout)?.[1] ?? 0);
  }

  /** As the tool checks a project. */
  async check(name: string): Promise<Checked> {
    return await checkProject(join(this.#folder, name));
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** What a program said stands in its output, not in the error. */
async function heard<T>(program: Promise<T>): Promise<T> {
  try {
    return await program;
  } catch (error) {
    const said = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
    throw new Error(`${error instanceof Error ? error.message : 'failed'}\n${said}`, { cause: error });
  }
}
