// The author's loop in the languages whose handlers run in a worker: as `svc init` makes the project, and broken.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentDsl } from '#contract/wire/dsl.ts';
import { compileProject } from './compile.ts';
import { hostProject } from './host.ts';
import { dropSpares } from './load.ts';
import { preflight, type Finding } from './preflight.ts';
import { ProjectError, type Problem } from './problem.ts';
import { scaffold, type Language } from './scaffold.ts';
import { ask } from './test/ask.ts';

const TEST_MS = 600_000;

function found(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const HAS = {
  python: found('python3', '-c', 'import sys, venv; assert sys.version_info >= (3, 11)'),
  go: found('go', 'version'),
  rust: found('cargo', '--version'),
};

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-languages-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

const made = async (language: Language, name: string): Promise<string> =>
  (await scaffold({ name, description: 'Says "hello"; it\'s `new` ✓', target: home, language })).folder;

const quiet = (): void => undefined;

/** Where the text stands in the file, counted from 1. */
const lineOf = async (file: string, text: string): Promise<number> => (await readFile(file, 'utf8')).split(text)[0]?.split('\n').length ?? 0;

async function invoked(folder: string): Promise<Finding[]> {
  const options = { folder, envFile: { path: '.env.local', named: false }, workspace: undefined, invoke: true, skill: undefined, args: undefined };
  return Array.fromAsync(preflight(options));
}

/** What is wrong with the project after a change of one file. */
async function problems(folder: string, file: string, change: (text: string) => string): Promise<readonly Problem[]> {
  const path = join(folder, file);
  const text = await readFile(path, 'utf8');
  await writeFile(path, change(text));
  try {
    await compileProject(folder, quiet);
    return [];
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error;
    return error.problems;
  } finally {
    await writeFile(path, text);
  }
}

const sums: Finding = { check: 'invoke sum', state: 'ok', says: expect.stringMatching(/^\{"a":1,"b":2\} → 3 \(\d+ ms\)$/) };

describe.skipIf(!HAS.python)(`a project in Python${HAS.python ? '' : ' (needs Python 3.11)'}`, () => {
  let folder: string;
  beforeAll(async () => {
    folder = await made('python', 'hello-python');
  }, TEST_MS);

  it(
    'gets its environment, is checked, and each skill runs',
    async () => {
      expect(await invoked(folder)).toEqual([
        { check: 'project', state: 'ok', says: 'hello-python 0.1.0: agent.py, greet, count' },
        { check: 'schemas', state: 'ok', says: 'arguments and results' },
        { check: 'invoke greet', state: 'ok', says: expect.stringContaining('{"greeting":"Hello, a!"}') },
        { check: 'invoke count', state: 'ok', says: expect.stringContaining('{"counted":3}') },
      ]);
    },
    TEST_MS,
  );

  it(
    'passes its own tests',
    () => {
      const script = 'import test_agent; [getattr(test_agent, name)() for name in dir(test_agent) if name.startswith("test_")]';
      execFileSync(join(folder, '.venv/bin/python'), ['-c', script], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    },
    TEST_MS,
  );

  it(
    'that is wrong is told by file, line and remedy',
    async () => {
      const file = join(folder, 'agent.py');
      const of = (change: (text: string) => string): Promise<readonly Problem[]> => problems(folder, 'agent.py', change);
      expect(await of((s) => s.replace('name = ', 'name = = '))).toEqual([{ file, line: 16, message: expect.stringContaining('SyntaxError') }]);
      expect(await of((s) => `import left_pad\n${s}`)).toEqual([{ file, line: 1, message: expect.stringContaining('add its package to requirements.txt') }]);
      expect(await of((s) => s.replace('class HelloPython', 'class Hi'))).toMatchObject([{ file, message: expect.stringContaining('agents there: Hi') }]);
      expect(await of((s) => s.replace('async def greet', 'def greet'))).toMatchObject([{ file, message: expect.stringContaining('async') }]);
      expect(await of((s) => s.replace('"0.1.0"', '"0.2.0"'))).toMatchObject([{ line: 2, message: expect.stringContaining('in the class') }]);
    },
    TEST_MS,
  );

  it(
    'in a dev box a change is taken up by an interpreter that was started before it; what is wrong leaves the one that serves',
    async () => {
      const path = join(folder, 'agent.py');
      const source = await readFile(path, 'utf8');
      const said: string[] = [];
      const say = (text: string): void => void said.push(text);
      const greets = (word: string): Promise<void> => writeFile(path, source.replace('f"Hello, {name}!"', `f"${word} {'--spare' in __import__('sys').argv}"`));
      const hosted = await hostProject({
        folder, entrypoint: 'agent:HelloPython', host: '127.0.0.1', port: 0, reload: true, watch: false, inPlace: true, note: say, complain: say,
      }); // prettier-ignore
      const greeting = (): Promise<unknown> => ask(hosted.url, 'greet', { name: 'a' });
      try {
        for (const [word, ahead] of [
          ['one', 'True'],
          ['two', 'True'],
        ]) {
          await greets(word ?? '');
          expect(await hosted.take(['agent.py']), said.join('')).toBe(true);
          expect(await greeting()).toEqual({ greeting: `${word} ${ahead}` });
        }
        await writeFile(path, source.replace('class HelloPython', 'class Hi'));
        expect(await hosted.take(['agent.py'])).toBe(false);
        expect(said.join('')).toContain('agents there: Hi');
        expect(await greeting()).toEqual({ greeting: 'two True' });
        // Other packages, another interpreter.
        await writeFile(join(folder, 'requirements.txt'), '# none\n');
        await greets('three');
        expect(await hosted.take(['agent.py', 'requirements.txt']), said.join('')).toBe(true);
        expect(await greeting()).toEqual({ greeting: 'three False' });
      } finally {
        await writeFile(path, source);
        dropSpares();
        await hosted.close();
      }
    },
    TEST_MS,
  );

  it(
    'takes an environment of the author’s own as it is, and says what is missing there',
    async () => {
      await rm(join(folder, '.venv/.svc-made'));
      await writeFile(join(folder, 'requirements.txt'), 'no-such-package-for-anybody==9.9.9\n');
      expect((await compileProject(folder, quiet)).dsl.worker).toEqual({ language: 'python', entrypoint: 'agent:HelloPython' });
      const site = execFileSync(join(folder, '.venv/bin/python'), ['-c', 'import sysconfig; print(sysconfig.get_paths()["purelib"])']);
      await rm(join(site.toString().trim(), 'svc-sdk.pth'));
      await expect(compileProject(folder, quiet)).rejects.toThrow(/\.venv: has no svc-sdk: remove \.venv/);
    },
    TEST_MS,
  );
});

describe.skipIf(!HAS.go)(`a project in Go${HAS.go ? '' : ' (needs the go program)'}`, () => {
  it(
    'builds, is checked, runs its skill, and is told where it is wrong',
    async () => {
      const folder = await made('go', 'hello-go');
      expect(await invoked(folder)).toContainEqual(sums);
      expect(AgentDsl.parse((await compileProject(folder, quiet)).dsl).worker.entrypoint).toBe('main:main');
      const line = await lineOf(join(folder, 'main.go'), 'return *input.A + *input.B, nil');
      const broken = await problems(folder, 'main.go', (s) => s.replace('return *input.A + *input.B, nil', 'return nothing, nil'));
      expect(broken).toEqual([{ file: join(folder, 'main.go'), line, message: expect.stringContaining('undefined: nothing') }]);
      const declared = await problems(folder, 'agent.dsl.json', (s) => s.replace('"language": "go"', '"language": "rust"'));
      expect(declared).toEqual([{ file: join(folder, 'agent.dsl.json'), message: expect.stringContaining('the project is in go') }]);
      expect(await problems(folder, 'agent.dsl.json', (s) => s.replace('"0.1.0"', '"0.3.0"'))).toMatchObject([
        { file: join(folder, 'svc.yaml'), line: 2, message: expect.stringContaining('in agent.dsl.json') },
      ]);
    },
    TEST_MS,
  );
});

describe.skipIf(!HAS.rust)(`a project in Rust${HAS.rust ? '' : ' (needs cargo)'}`, () => {
  it(
    'builds, is checked, runs its skill, and is told where it is wrong',
    async () => {
      const folder = await made('rust', 'hello-rust');
      expect(await invoked(folder)).toContainEqual(sums);
      const line = (await lineOf(join(folder, 'src/main.rs'), 'mod json;')) + 1;
      const broken = await problems(folder, 'src/main.rs', (s) => s.replace('mod json;', 'mod json;\nfn f() -> u8 { nothing }'));
      expect(broken).toContainEqual({ file: join(folder, 'src/main.rs'), line, message: expect.stringContaining('nothing') });
    },
    TEST_MS,
  );
});
