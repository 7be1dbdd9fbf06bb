// `svc run` with files that change under it.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { scaffold } from './scaffold.ts';
import { ask } from './test/ask.ts';
import { isIgnored } from './watch.ts';

const CLI = new URL('../main.ts', import.meta.url).pathname;

let home: string;
let file: string;
let source: string;
let child: ChildProcess | undefined;
let url: string;
let said = '';

/** Waits until the tool has said it, after what it had said before. */
async function saw(pattern: RegExp, from: number): Promise<void> {
  while (!pattern.test(said.slice(from))) {
    if (child?.exitCode !== null) throw new Error(`ended: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function save(text: string, expected: RegExp): Promise<void> {
  const from = said.length;
  await writeFile(file, text);
  await saw(expected, from);
}

const greet = (): Promise<unknown> => ask(url, 'greet', { name: 'Ada' });

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-reload-'));
  const { folder } = await scaffold({ name: 'hello', description: 'Says hello', target: home, language: 'typescript' });
  file = join(folder, 'agent.ts');
  source = await readFile(file, 'utf8');
  child = spawn(process.execPath, [CLI, 'run', '-e', 'agent:Hello', '--host', '127.0.0.1', '--port', '0'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await saw(/http:\/\/127\.0\.0\.1:\d+/, 0);
  url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? '';
});
afterAll(async () => {
  if (child?.exitCode === null) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  await rm(home, { recursive: true, force: true });
});

describe('svc run, while files change', () => {
  it('takes new code up, and finishes what runs in the old', async () => {
    expect(await greet()).toEqual({ greeting: 'Hello, Ada!' });
    // Outside of the project, where no file is a change of it.
    const [begun, goesOn] = [join(home, 'begun'), join(home, 'goes-on')];
    const held = `(writeFileSync(${JSON.stringify(begun)}, ''), await waitFor(${JSON.stringify(goesOn)}), 'slow ')`;
    const slow = `import { existsSync, writeFileSync } from 'node:fs';
      const waitFor = async (path: string): Promise<void> => { while (!existsSync(path)) await new Promise((r) => setTimeout(r, 20)); };
      ${source.replace('greeting: `', `greeting: ${held} + \``)}`;
    await save(slow, /reloaded \(agent\.ts\)/);
    const inFlight = greet();
    await vi.waitFor(() => access(begun));
    await save(source.replace('Hello,', 'Good morning,'), /reloaded/);
    expect(await greet()).toEqual({ greeting: 'Good morning, Ada!' });
    await writeFile(goesOn, '');
    expect(await inFlight).toEqual({ greeting: 'slow Hello, Ada!' });
  });

  it('shows what is wrong, by file and line, and goes on with the code before', async () => {
    await save(source.replace('name = ', 'name = = '), /agent\.ts:\d+: SyntaxError.*\n.*not reloaded/);
    expect(await greet()).toEqual({ greeting: 'Good morning, Ada!' });
    await save(source, /reloaded/);
    expect(await greet()).toEqual({ greeting: 'Hello, Ada!' });
  });

  it('starts again after the code ended its own process', async () => {
    await save(`${source}\nsetTimeout(() => process.exit(3), 500);\n`, /process ended \(3\)/);
    const asked = greet();
    await save(source, /reloaded/);
    expect(await asked.catch(() => greet())).toEqual({ greeting: 'Hello, Ada!' });
  });

  it("shows a skill's question, and how to answer it without a terminal", async () => {
    await save(source.replace('greeting: `Hello, ${name}!`', 'greeting: await _ctx.ask(`Who is ${name}?`)'), /reloaded/);
    const from = said.length;
    const asked = greet();
    await saw(/\? greet asks: Who is Ada\?/, from);
    await saw(/answers\/qst_[\w-]+/, from);
    const path = /\/answers\/qst_[\w-]+/.exec(said.slice(from))?.[0];
    const answered = await fetch(`${url}${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"answer":"A countess"}' });
    expect(answered.status).toBeLessThan(300);
    expect(await asked).toEqual({ greeting: 'A countess' });
  });

  it('ends with its signal, and so does the code', async () => {
    const ended = child && once(child, 'exit');
    child?.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    await expect(greet()).rejects.toThrow();
  });
});

describe('what is no change', () => {
  it.each(['node_modules/x/index.js', '.git/index', '.venv/lib/a.py', 'sub/__pycache__/a.pyc', '.agent.ts.swp', 'agent.ts~', '4913'])('%s', (path) => {
    expect(isIgnored(path)).toBe(true);
  });
  it.each(['agent.ts', 'lib/text.ts', 'svc.yaml', 'requirements.txt'])('but %s is one', (path) => expect(isIgnored(path)).toBe(false));
});
