// `svc chat` in a project: a real agent of this machine, spoken with line by line.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scaffold } from '../project/scaffold.ts';
import { cites } from '#test/spec/verifies.ts';

const CLI = new URL('../bin/svc', import.meta.url).pathname;
let home: string;
let folder: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-chat-'));
  ({ folder } = await scaffold({ name: 'hello', description: 'Says hello', target: home, language: 'typescript' }));
});
afterAll(() => rm(home, { recursive: true, force: true }));

function chat(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [CLI, 'chat', '--port', '0', ...args], {
    cwd: folder,
    env: { ...process.env, PATH: `${dirname(CLI)}:${process.env.PATH}`, ...env },
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = once(child, 'close').then(([code]: unknown[]) => ({ code, out, err }));
  const saw = async (pattern: RegExp): Promise<void> => {
    const until = Date.now() + 60_000;
    while (!pattern.test(out + err)) {
      if (child.exitCode !== null || Date.now() > until) throw new Error(`ended without ${String(pattern)}: ${out}${err}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  return { child, ended, saw, say: (line: string) => child.stdin.write(`${line}\n`) };
}

it('calls its tools, takes changed files up, and ends with its input', async () => {
  const talk = chat(['--no-up']);
  await talk.saw(/hello 0\.1\.0 serves http:\/\/127\.0\.0\.1:\d+; changed files are reloaded/);
  talk.say('greet name=Ada');
  await talk.saw(/Hello, Ada!/);
  const file = join(folder, 'agent.ts');
  const source = await readFile(file, 'utf8');
  await writeFile(file, source.replace('Hello,', 'Good morning,'));
  await talk.saw(/reloaded \(agent\.ts\)/);
  talk.say('greet {"name": "Ben"}');
  await talk.saw(/Good morning, Ben!/);
  talk.say('greet');
  await talk.saw(/Missing: name/);
  await writeFile(file, source);
  talk.child.stdin.end();
  expect(await talk.ended).toMatchObject({ code: 0 });
});

it('takes an answer from the next line of its input; without one the call ends, and says so', async () => {
  const file = join(folder, 'agent.ts');
  const source = await readFile(file, 'utf8');
  const poem = 'poem = skill({ input: z.object({ topic: z.string() }) }, async (ctx, { topic }) => `${topic} in ${await ctx.ask("Which colour?")}`);';
  await writeFile(file, source.replace('  count = ', `  ${poem}\n\n  count = `));
  const answered = chat(['--no-up']);
  answered.child.stdin.end('poem topic=sea\nblue\n');
  const done = await answered.ended;
  expect(done).toMatchObject({ code: 0 });
  expect(done.out).toContain('sea in blue');
  expect(done.out + done.err).not.toContain('svc answer');
  const alone = chat(['--no-up']);
  alone.child.stdin.end('poem topic=sea\n');
  const left = await alone.ended;
  expect(left).toMatchObject({ code: 1 });
  expect(left.err).toContain('The input ended before an answer to: Which colour?');
  await writeFile(file, source);
});

it('brings the declared resources up, and hands the agent their addresses', cites('cli.chat'), async () => {
  const manifest = join(folder, 'svc.yaml');
  const text = await readFile(manifest, 'utf8');
  await writeFile(manifest, `${text}resources:\n  database: postgres\n`);
  const source = await readFile(join(folder, 'agent.ts'), 'utf8');
  await writeFile(join(folder, 'agent.ts'), source.replace('Hello,', 'At ${process.env.DATABASE_URL},'));
  // No containers here: what stands for Docker notes what it is asked, and answers as it would.
  const bin = join(home, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'docker'), `#!/bin/sh\necho "$@" >> ${join(home, 'asked')}\ncase "$*" in *port*) echo 127.0.0.1:54321;; esac\n`);
  await chmod(join(bin, 'docker'), 0o755);
  const env = { PATH: `${bin}:${dirname(CLI)}:${process.env.PATH}` };
  const talk = chat([], env);
  await talk.saw(/serves http/);
  talk.say('greet name=Ada');
  await talk.saw(/At postgres:\/\/svc:local@127\.0\.0\.1:54321\/svc, Ada!/);
  talk.child.stdin.end();
  expect((await talk.ended).err).toContain('svc chat --down');
  expect(await chat(['--down', '--volumes'], env).ended).toMatchObject({ code: 0 });
  const file = join(folder, '.svc', 'compose.chat.yaml');
  expect((await readFile(join(home, 'asked'), 'utf8')).trim().split('\n')).toEqual([
    'compose version',
    'info --format {{.ServerVersion}}',
    `compose --file ${file} up --detach --wait database`,
    `compose --file ${file} port database 5432`,
    'compose version',
    'info --format {{.ServerVersion}}',
    `compose --file ${file} down --remove-orphans --volumes`,
  ]);
  expect((await chat(['--print-compose']).ended).out).toBe(
    await readFile(file, 'utf8').then((kept) => kept.replace(/127\.0\.0\.1:\d+:8000/, '127.0.0.1:0:8000')),
  );
});

it('without Docker the databases are PostgreSQL servers of this machine, which keep what they have until they are taken down', cites('cli.chat'), async () => {
  const made = await scaffold({ name: 'keeper', description: 'Keeps', target: home, language: 'typescript' });
  await appendFile(join(made.folder, 'svc.yaml'), 'resources:\n  database: postgres\n  vector_store: pgvector\n');
  const agent = join(made.folder, 'agent.ts');
  await writeFile(agent, (await readFile(agent, 'utf8')).replace('Hello,', 'At ${process.env.DATABASE_URL} and ${process.env.VECTOR_STORE_URL} is'));
  // What is no Docker that works.
  const env = { PATH: `${dirname(CLI)}:/usr/bin:/bin`, DOCKER_HOST: 'tcp://127.0.0.1:1' };
  const addresses = async (): Promise<{ said: Awaited<ReturnType<typeof chat>['ended']>; urls: string[] }> => {
    const talk = chat(['-p', made.folder], env);
    await talk.saw(/serves http/);
    talk.child.stdin.end('greet name=Ada\n');
    const said = await talk.ended;
    return { said, urls: [...said.out.matchAll(/postgres:\/\/\S+/g)].map(([url]) => url) };
  };
  try {
    const first = await addresses();
    expect(first.said.err).toMatch(/vector-store: PostgreSQL on 127\.0\.0\.1:\d+, with(out)? the extension vector/);
    expect(first.urls).toHaveLength(2);
    await queried(first.urls[0], "create table kept (word text); insert into kept values ('sea')");
    expect(await queried(first.urls[1], "select similarity('word', 'words') > 0.5 as near")).toEqual([{ near: true }]);
    const other = new URL(first.urls[0] ?? '');
    other.password = 'local';
    await expect(queried(other.href, 'select 1')).rejects.toThrow('password');
    // The same server is found again; taken down and brought up, it has what it had.
    expect((await addresses()).urls).toEqual(first.urls);
    expect(await chat(['-p', made.folder, '--down'], env).ended).toMatchObject({ code: 0 });
    await expect(queried(first.urls[0], 'select 1')).rejects.toThrow('ECONNREFUSED');
    const again = await addresses();
    expect(await queried(again.urls[0], 'select word from kept')).toEqual([{ word: 'sea' }]);
  } finally {
    expect(await chat(['-p', made.folder, '--down', '--volumes'], env).ended).toMatchObject({ code: 0 });
  }
  const fresh = await addresses();
  await expect(queried(fresh.urls[0], 'select word from kept')).rejects.toThrow('does not exist');
  await chat(['-p', made.folder, '--down', '--volumes'], env).ended;
  const manifest = join(made.folder, 'svc.yaml');
  await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('pgvector', 'qdrant'));
  const foreign = await chat(['-p', made.folder], env).ended;
  expect(foreign).toMatchObject({ code: 1 });
  expect(foreign.err).toContain('svc chat --no-up');
});

async function queried(url: string | undefined, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
