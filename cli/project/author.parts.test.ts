// The author's loop by the command line tool itself, in a folder of its own.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentCard } from '#contract/wire/card.ts';
import { cites } from '#test/spec/verifies.ts';

const CLI = fileURLToPath(new URL('../main.ts', import.meta.url));
const TSC = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

function node(args: string[], cwd: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd }, (_, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }));
  });
}

const svc = (args: string[], cwd: string): Promise<Outcome> => node([CLI, ...args], cwd);

let home: string;
let project: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-author-'));
  project = join(home, 'hello-world');
  const made = await svc(['init', 'hello-world', '--language', 'typescript', '--description', 'Says "hello"; it\'s `${new}` ✓'], home);
  expect(made).toMatchObject({ code: 0, stderr: '' });
});
afterAll(() => rm(home, { recursive: true, force: true }));

describe('svc init', () => {
  it('makes a project that checks, compiles and passes its own tests as it is', cites('cli.init', 'cli.validate'), async () => {
    expect(await svc(['validate'], project)).toMatchObject({ code: 0, stderr: 'ok: hello-world 0.1.0, 2 skills\n' });
    expect(await node([TSC, '-p', '.'], project)).toMatchObject({ code: 0, stdout: '' });
    expect(await node(['--test'], project)).toMatchObject({ code: 0 });
  });

  it('leaves a folder that is there alone', async () => {
    const again = await svc(['init', 'hello-world', '-l', 'typescript'], home);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toMatch(/is there already/);
  });

  it.each([
    [['init', 'other', '--frontend', 'static', '--frontend-mode', 'server-rendered'], 2, /--frontend static is plain files.*use --frontend react or nextjs/],
    [['init', 'other', '--frontend-mode', 'server-rendered'], 2, /--frontend-mode is about the frontend, and there is none: add --frontend react or nextjs/],
    [['init', 'other', '--auth', 'public'], 2, /--auth is about the frontend, and there is none/],
    [['init', 'other', '--frontend', 'vue'], 2, /--frontend must be one of static, react, nextjs, not "vue"/],
    [['init', 'other', '-l', 'cobol'], 2, /--language must be one of python, .*, not "cobol"/],
    [['init', 'Not Good', '-l', 'typescript'], 2, /NAME: use lower-case/],
  ])('%j ends with %i', async (args, code, message) => {
    const outcome = await svc(args, home);
    expect(outcome.code).toBe(code);
    expect(outcome.stderr).toMatch(message);
  });
});

describe('svc card', () => {
  it('prints the card, whatever the module itself prints', cites('cli.card'), async () => {
    const noisy = join(project, 'noisy.ts');
    await writeFile(noisy, `console.log('loading');\nexport * from './agent';\n`);
    const manifest = await readFile(join(project, 'svc.yaml'), 'utf8');
    await writeFile(join(project, 'svc.yaml'), manifest.replace('agent:', 'noisy:'));
    const { stdout } = await svc(['card', '--project', project], home);
    await writeFile(join(project, 'svc.yaml'), manifest);
    expect(AgentCard.parse(JSON.parse(stdout))).toMatchObject({ name: 'hello-world', description: 'Says "hello"; it\'s `${new}` ✓' });
  });
});

describe('svc validate', () => {
  const faults: [string, (source: string) => string, RegExp][] = [
    [
      'a handler that is not asynchronous',
      (s) => s.replace('async (_ctx, { name })', '(_ctx, { name })'),
      /^agent\.ts:8:3: greet: the handler must be asynchronous/,
    ],
    ['a type JSON does not have', (s) => s.replace('z.string().min(1)', 'z.date()'), /^agent\.ts:8:3: greet: its schema cannot be published/],
    ['a package that is not installed', (s) => `import 'left-pad';\n${s}`, /^agent\.ts:1: it imports the package "left-pad".*npm install left-pad/],
    ['a file that does not exist', (s) => `\nimport './gone.ts';\n${s}`, /^agent\.ts:2: it imports .*gone\.ts, which does not exist/],
    ['bad syntax', (s) => s.replace('name = ', 'name = = '), /^agent\.ts:4: SyntaxError/],
    ['no export', (s) => s.replace('export class', 'class'), /^agent\.ts:3:7: HelloWorld is not exported: write "export class HelloWorld extends Agent"/],
    [
      'another class',
      (s) => s.replace('class HelloWorld', 'class Hi'),
      /^svc\.yaml:3:13: agent\.ts has no HelloWorld; its agent is Hi: write "entrypoint: agent:Hi"/,
    ],
    ['a class of something else', (s) => s.replace('extends Agent', 'extends Map'), /^agent\.ts:3:14: HelloWorld is not an agent/],
    ['another version than svc.yaml', (s) => s.replace("'0.1.0'", "'0.2.0'"), /^svc\.yaml:2:10: version is "0\.1\.0" here and "0\.2\.0" in the class/],
    ['a module that ends the process', (s) => `${s}\nprocess.exit(0);`, /^agent\.ts: the module ended while loading/],
    ['a field that throws', (s) => s.replace("'0.1.0'", "JSON.parse('')"), /^agent\.ts:6:\d+: HelloWorld could not be made: SyntaxError/],
  ];

  it.each(faults)('names the place and the remedy of %s', async (_, change, message) => {
    const copy = await mkdtemp(join(home, 'fault-'));
    for (const file of ['svc.yaml', 'package.json']) await copyFile(join(project, file), join(copy, file));
    await symlink(join(project, 'node_modules'), join(copy, 'node_modules'));
    await writeFile(join(copy, 'agent.ts'), change(await readFile(join(project, 'agent.ts'), 'utf8')));
    const outcome = await svc(['validate'], copy);
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(outcome.stderr).toMatch(message);
  });
});

describe('svc run', () => {
  it('serves the agent under the key of the environment, until a signal ends it', cites('cli.run'), async () => {
    const child = spawn(process.execPath, [CLI, 'run', '-e', 'agent:HelloWorld', '--host', '127.0.0.1', '--port', '0'], {
      cwd: project,
      env: { ...process.env, SVC_API_KEY: 'local' },
    });
    try {
      const [said] = await once(child.stdout, 'data');
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(String(said))?.[0];
      const call = (headers: Record<string, string>) =>
        fetch(`${url}/invoke/greet`, { method: 'POST', body: '{"name":"Ada"}', headers: { 'content-type': 'application/json', ...headers } });
      expect((await call({})).status).toBe(401);
      expect(await (await call({ authorization: 'Bearer local' })).json()).toEqual({ greeting: 'Hello, Ada!' });
      const taken = await svc(['run', '-e', 'agent:HelloWorld', '--host', '127.0.0.1', '--port', String(new URL(url ?? '').port)], project);
      expect(taken).toMatchObject({ code: 1 });
      expect(taken.stderr).toMatch(/EADDRINUSE.*choose another with --port/);
    } finally {
      child.kill('SIGTERM');
    }
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  });
});
