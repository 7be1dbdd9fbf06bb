// The author's loop in the languages whose handlers run in a worker: as `svc init` makes the project, and
// broken.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AgentDsl } from '#contract/wire/dsl.ts';
import { cites } from '#test/spec/verifies.ts';
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

  it('gets its environment, is checked, and each skill runs', async () => {
    expect(await invoked(folder)).toEqual([
      { check: 'project', state: 'ok', says: 'hello-python 0.1.0: agent.py, greet, count' },
      { check: 'schemas', state: 'ok', says: 'arguments and results' },
      { check: 'invoke greet', state: 'ok', says: expect.stringContaining('{"greeting":"Hello, a!"}') },
      { check: 'invoke count', state: 'ok', says: expect.stringContaining('{"counted":3}') },
    ]);
  });

  it('passes its own tests', () => {
    const script = 'import test_agent; [getattr(test_agent, name)() for name in dir(test_agent) if name.startswith("test_")]';
    execFileSync(join(folder, '.venv/bin/python'), ['-c', script], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  });

  it('that is wrong is told by file, line and remedy', async () => {
    const file = join(folder, 'agent.py');
    const of = (change: (text: string) => string): Promise<readonly Problem[]> => problems(folder, 'agent.py', change);
    expect(await of((s) => s.replace('name = ', 'name = = '))).toEqual([{ file, line: 16, column: 12, message: expect.stringContaining('SyntaxError') }]);
    expect(await of((s) => `import left_pad\n${s}`)).toEqual([
      { file, line: 1, column: 1, message: expect.stringContaining('add its package to requirements.txt') },
    ]);
    expect(await of((s) => s.replace('class HelloPython', 'class Hi'))).toMatchObject([
      { file: join(folder, 'svc.yaml'), line: 3, message: expect.stringContaining('its agent is Hi: write "entrypoint: agent:Hi"') },
    ]);
    expect(await of((s) => s.replace('async def greet', 'def greet'))).toMatchObject([{ file, message: expect.stringContaining('async') }]);
    expect(await of((s) => s.replace('"0.1.0"', '"0.2.0"'))).toMatchObject([{ line: 2, message: expect.stringContaining('in the class') }]);
  });

  it('in a dev box the worker that serves loads changed code; what is wrong, or what only another process can load, does not end what serves', async () => {
    const path = join(folder, 'agent.py');
    const source = await readFile(path, 'utf8');
    const said: string[] = [];
    const say = (text: string): void => void said.push(text);
    // The number of the process that answers comes with the greeting.
    const greets = (word: string, top = ''): Promise<void> =>
      writeFile(path, `${source.replace('f"Hello, {name}!"', `f"${word} {__import__('os').getpid()}"`)}\n${top}`);
    const hosted = await hostProject({
        folder, entrypoint: 'agent:HelloPython', host: '127.0.0.1', port: 0, reload: true, watch: false, inPlace: true, note: say, complain: say,
      }); // prettier-ignore
    const Greeting = z.object({ greeting: z.string() });
    const heard = async (): Promise<string[]> => Greeting.parse(await ask(hosted.url, 'greet', { name: 'a' })).greeting.split(' ');
    const took = async (...paths: string[]): Promise<void> => expect(await hosted.take(paths), said.join('')).toBe(true);
    try {
      await greets('one');
      await took('agent.py');
      const [, pid] = await heard();
      await greets('two');
      await took('agent.py');
      expect(await heard()).toEqual(['two', pid]);
      await writeFile(path, source.replace('async def greet', 'async def welcome'));
      await took('agent.py');
      expect(hosted.card().skills.map(({ id }) => id)).toEqual(['welcome', 'count']);
      await greets('three');
      await took('agent.py');

      await writeFile(path, source.replace('name = ', 'name = = '));
      expect(await hosted.take(['agent.py'])).toBe(false);
      expect(said.join('')).toMatch(/agent\.py:16:\d+: SyntaxError/);
      await writeFile(path, source.replace('class HelloPython', 'class Hi'));
      expect(await hosted.take(['agent.py'])).toBe(false);
      expect(said.join('')).toContain('agents there: Hi');
      expect(await heard()).toEqual(['three', pid]);

      // Code from before holds what this needs: another process loads it, and the next change again in place.
      const once = '__import__("sys").modules.setdefault("kept", object)';
      await greets('four', `if ${once} is not object:\n    raise OSError("taken")\n__import__("sys").modules["kept"] = 1\n`);
      await took('agent.py');
      await greets('five', `if ${once} is not object:\n    raise OSError("taken")\n__import__("sys").modules["kept"] = 1\n`);
      await took('agent.py');
      const [five, another] = await heard();
      expect([five, another === pid]).toEqual(['five', false]);
      await greets('six');
      await took('agent.py');
      expect(await heard()).toEqual(['six', another]);
      // Fails in any process.
      await greets('seven', 'raise OSError("no disk")');
      expect(await hosted.take(['agent.py'])).toBe(false);
      expect(said.join('')).toMatch(/agent\.py:\d+:\d+: OSError: no disk/);
      expect(await heard()).toEqual(['six', another]);

      // Other packages, another process.
      await writeFile(join(folder, 'requirements.txt'), '# none\n');
      await greets('eight');
      await took('agent.py', 'requirements.txt');
      const [eight, third] = await heard();
      expect([eight, third === another]).toEqual(['eight', false]);
    } finally {
      await writeFile(path, source);
      dropSpares();
      await hosted.close();
    }
  });

  it('takes an environment of the author’s own as it is, and says what is missing there', { ...cites('cli.compile') }, async () => {
    await rm(join(folder, '.venv/.svc-made'));
    await writeFile(join(folder, 'requirements.txt'), 'no-such-package-for-anybody==9.9.9\n');
    expect((await compileProject(folder, quiet)).dsl.worker).toEqual({ language: 'python', entrypoint: 'agent:HelloPython' });
    const site = execFileSync(join(folder, '.venv/bin/python'), ['-c', 'import sysconfig; print(sysconfig.get_paths()["purelib"])']);
    await rm(join(site.toString().trim(), 'svc-sdk.pth'));
    await expect(compileProject(folder, quiet)).rejects.toThrow(/\.venv: has no svc-sdk: remove \.venv/);
  });
});

describe.skipIf(!HAS.go)(`a project in Go${HAS.go ? '' : ' (needs the go program)'}`, () => {
  it('builds, is checked, runs its skill, and is told where it is wrong', async () => {
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
  });
});

describe.skipIf(!HAS.rust)(`a project in Rust${HAS.rust ? '' : ' (needs cargo)'}`, () => {
  it('builds, is checked, runs its skill, and is told where it is wrong', async () => {
    const folder = await made('rust', 'hello-rust');
    expect(await invoked(folder)).toContainEqual(sums);
    const line = (await lineOf(join(folder, 'src/main.rs'), 'mod json;')) + 1;
    const broken = await problems(folder, 'src/main.rs', (s) => s.replace('mod json;', 'mod json;\nfn f() -> u8 { nothing }'));
    expect(broken).toContainEqual({ file: join(folder, 'src/main.rs'), line, message: expect.stringContaining('nothing') });
  });
});
