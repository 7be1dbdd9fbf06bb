// A dev box from the tool to its sshd and back, with the real OpenSSH client: what opens it, what people do
// in it, what stays when it is gone.
import { execFile, spawn } from 'node:child_process';
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { openSshKeys } from '#contract/crypto/openssh.ts';
import { scaffold } from '#cli/project/scaffold.ts';
import { makeTool, type Tool } from '#cli/test/tool.ts';
import { sourceRepository } from '#core/agents/agent/repository.ts';
import { createWorld, type World } from '#test/api/world.ts';
import { cites } from '#test/spec/verifies.ts';
import { freePort } from '#test/support/free-port.ts';
import { type BoxHost, boxHost } from './test/host.ts';

const run = promisify(execFile);
let host: BoxHost;
let world: World;
let tool: Tool;
let name: string;
let env: NodeJS.ProcessEnv;
let config: string;
let alias: string;

beforeAll(async () => {
  host = await boxHost();
  world = await createWorld({ hostSocket: host.socketPath });
  world.ctx.config.baseUrl = world.url;
  name = world.records['name'] ?? '';
  const owner = await world.ctx.db('agents').where({ name }).first('owner_id');
  const source = await mkdtemp(join(tmpdir(), 'svc-source-'));
  await writeFile(join(source, 'README.md'), 'as it was deployed\n');
  await world.ctx.drivers.scm.commitTree({
    repository: sourceRepository(owner?.owner_id ?? '', name),
    folder: source,
    branch: 'main',
    message: 'Deploy it',
    author: { name: 'Ada', email: 'ada@svc.local' },
  });
  await rm(source, { recursive: true });
  tool = await makeTool(world.url, '/nowhere');
  env = { ...process.env, SVC_TOKEN: world.tokens.ada, SVC_API_URL: world.url, HOME: tool.home };
  alias = `svc-${name}`;
  config = join(tool.home, '.svc/ssh', name, 'config');
});
afterAll(async () => {
  await tool?.remove();
  await world?.close();
  await host?.end();
});

const svc = (...argv: string[]) => tool.spawn(argv, { SVC_TOKEN: world.tokens.ada }).ended;

/** A command in the box by the person's own ssh. */
async function ssh(args: readonly string[], input?: string, more: readonly string[] = []): Promise<{ code: number; out: string; err: string }> {
  const child = spawn('ssh', [...(more.length > 0 ? more : ['-F', config]), alias, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(input ?? '');
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number>((resolve) => child.once('close', (status) => resolve(status ?? 255))),
  ]);
  return { code, out, err };
}

/** What opens a tunnel and what SSH says there, by somebody who has a token and a key. */
async function byHand(token: string, agent = name): Promise<{ status: number }> {
  const socket = new WebSocket(`${world.url.replace('http', 'ws')}/v1/agents/${agent}/ssh/tunnel`, { headers: { authorization: `Bearer ${token}` } });
  return await new Promise((resolve) => {
    socket.once('open', () => (socket.close(), resolve({ status: 101 })));
    socket.once('unexpected-response', (_request, response) => resolve({ status: response.statusCode ?? 0 }));
    socket.on('error', () => undefined);
  });
}

test('the tool opens a box, and OpenSSH, scp, sftp, rsync and forwarding work through its alias', { ...cites('agents.ssh') }, async () => {
  const printed = await svc('ssh', name, '--json');
  expect(printed, printed.err).toMatchObject({ code: 0 });
  expect(JSON.parse(printed.out)).toMatchObject({ alias, state: 'stopped', user: 'agent', folder: `/home/agent/${name}` });
  expect(await readFile(join(tool.home, '.ssh/config'), 'utf8')).toMatch(/^# svc: dev boxes\nInclude /);
  const first = await ssh([
    'id -un; node -v; python3 -V; git --version; echo kept > kept.txt; node -e "import(\'@svc/sdk\').then(m => console.log(typeof m.Agent))"',
  ]);
  expect(first, first.err).toMatchObject({ code: 0, out: expect.stringMatching(/^agent\nv24\.[\s\S]*Python 3\.[\s\S]*git version/) });

  expect((await ssh([`git -C ${name} log --format=%s; cat ${name}/README.md`])).out).toBe('Deploy it\nas it was deployed\n');
  const folder = join(tool.home, 'work');
  await mkdir(folder, { recursive: true });
  const large = randomBytes(8 * 1_048_576);
  await writeFile(join(folder, 'large.bin'), large);
  await run('scp', ['-F', config, join(folder, 'large.bin'), `${alias}:large.bin`], { env });
  expect((await ssh(['sha256sum large.bin'])).out).toContain(createHash('sha256').update(large).digest('hex'));
  await writeFile(join(folder, 'batch'), 'get kept.txt\nput large.bin again.bin\n');
  await run('sftp', ['-F', config, '-b', 'batch', alias], { env, cwd: folder });
  expect(await readFile(join(folder, 'kept.txt'), 'utf8')).toBe('kept\n');
  if (
    await run('rsync', ['--version']).then(
      () => true,
      () => false,
    )
  ) {
    await run('rsync', ['-a', '-e', `ssh -F ${config}`, `${folder}/`, `${alias}:copied/`], { env });
    expect((await ssh(['cmp copied/large.bin large.bin && echo same'])).out).toBe('same\n');
  }
});

test('the start-up of an editor: a script by standard input, a dynamic port, connections at once, a server on loopback in the box', async () => {
  const port = await freePort();
  const editor = spawn('ssh', ['-F', config, '-T', '-D', String(port), alias, 'bash'], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  editor.stdin.write(`node -e "require('net').createServer(s => { s.end('from the box') }).listen(4321, '127.0.0.1', () => console.log('listening'))"\n`);
  await new Promise<void>((resolve) => editor.stdout.on('data', (chunk: Buffer) => chunk.toString().includes('listening') && resolve()));
  expect(await Promise.all([throughSocks(port, 4321), throughSocks(port, 4321), ssh(['echo', 'beside']).then(({ out }) => out)])).toEqual([
    'from the box',
    'from the box',
    'beside\n',
  ]);
  // Nothing but the box itself is reached.
  await expect(throughSocks(port, 80, '192.0.2.1')).rejects.toThrow();
  editor.stdin.end();
  editor.kill();
  const local = await freePort();
  const forward = spawn('ssh', ['-F', config, '-N', '-L', `${local}:127.0.0.1:4322`, alias], { env, stdio: 'ignore' });
  const served = ssh([
    `node -e "require('net').createServer(s => { s.end('again'); process.exitCode = 0; setTimeout(() => process.exit(), 500) }).listen(4322, '127.0.0.1')"`,
  ]);
  await expect.poll(() => reading(connect(local, '127.0.0.1')).catch(() => ''), { timeout: 60_000, interval: 500 }).toBe('again');
  await served;
  forward.kill();
});

test('nothing else opens it: another key, no key, another tenant, a foreign, used-up or expired token, a token in the address', async () => {
  const other = join(tool.home, 'other');
  const keys = openSshKeys(generateKeyPairSync('ed25519'));
  await writeFile(other, keys.private, { mode: 0o600 });
  expect(await ssh(['true'], '', ['-F', await configWith(`IdentityFile ${other}`)])).toMatchObject({
    code: 255,
    err: expect.stringContaining('Permission denied (publickey)'),
  });
  expect(await ssh(['true'], '', ['-F', await configWith('User root')])).toMatchObject({ code: 255 });

  const open = (who: 'ada' | 'ben') => world.as(who).agents.ssh({ params: { name }, body: { public_key: keys.public } });
  await expect(open('ben')).rejects.toMatchObject({ status: 404, code: 'agent_not_found' });
  const { access_token, url } = await open('ada');
  expect(url).not.toContain(access_token);
  expect(JSON.stringify([await world.ctx.db('dev_box_sessions'), await world.ctx.db('audit_log'), world.logs])).not.toContain(access_token);
  expect(await byHand(access_token)).toEqual({ status: 101 });
  expect(await byHand(`svc_box_${'a'.repeat(43)}`)).toEqual({ status: 401 });
  expect(await byHand(world.tokens.ada)).toEqual({ status: 401 });
  expect(await byHand(access_token, 'another-agent')).toEqual({ status: 401 });
  expect((await fetch(`${world.url}/v1/me`, { headers: { authorization: `Bearer ${access_token}` } })).status).toBe(401);
  await world.ctx.db('dev_box_sessions').update({ expires_at: new Date(Date.now() - 1_000) });
  expect(await byHand(access_token)).toEqual({ status: 401 });
});

test('a sleeping box wakes with what it had in memory', async () => {
  await ssh(['setsid', 'sh', '-c', "'sleep 3600 > /dev/null 2>&1 < /dev/null & echo $! > pid'"]);
  await expect.poll(async () => (await host.boxes.list())[0]?.connections).toBe(0);
  await host.boxes.sleep(await boxId());
  expect(await host.boxes.list()).toMatchObject([{ state: 'suspended', connections: 0 }]);
  expect((await ssh(['kill -0 $(cat pid) && cat kept.txt'])).out).toBe('kept\n');
});

test('its programs reach no host but the registries, and no other machine', async () => {
  const { out } = await ssh(['curl -s -o /dev/null -w "%{http_connect}" https://example.com; curl -s --noproxy "*" -m 3 http://192.0.2.1 || echo none']);
  expect(out).toBe('403none\n');
});

test('a host that was killed has the box as it was; one that was stopped has it asleep; and its owner comes in again', async () => {
  await host.restart();
  expect(await host.boxes.list()).toMatchObject([{ state: 'running', seeded: true }]);
  expect((await ssh(['kill -0 $(cat pid) && cat kept.txt'])).out).toBe('kept\n');
  await host.startAnew();
  expect(await host.boxes.list()).toMatchObject([{ state: 'suspended' }]);
  expect((await ssh(['kill -0 $(cat pid) && cat kept.txt'])).out).toBe('kept\n');
});

test('left alone, a box falls asleep and then has no machine; its files and its host key are there when it is opened again', async () => {
  await host.restart({ SVC_BOX_SUSPEND_SECONDS: '2', SVC_BOX_GONE_SECONDS: '2' });
  await expect.poll(async () => (await host.boxes.list())[0]?.state, { timeout: 120_000, interval: 250 }).toBe('stopped');
  await host.restart({ SVC_BOX_SUSPEND_SECONDS: '3600', SVC_BOX_GONE_SECONDS: '3600' });
  expect(await ssh(['kill -0 $(cat pid) 2>/dev/null || cat kept.txt'])).toMatchObject({ code: 0, out: 'kept\n' });
});

// What takes minutes under emulation: in npm run test:release.
if (process.env['SVC_SLOW'] === '1') {
  test('70 MB, as an editor copies its server there, come and go whole', async () => {
    const folder = join(tool.home, 'large');
    await mkdir(folder);
    const large = randomBytes(70 * 1_000_000);
    const sum = createHash('sha256').update(large).digest('hex');
    await writeFile(join(folder, 'server.tar.gz'), large);
    const timed = async (what: string, work: () => Promise<unknown>): Promise<void> => {
      const began = performance.now();
      await work();
      process.stdout.write(`70 MB ${what} in ${Math.round((performance.now() - began) / 1_000)} s\n`);
    };
    await timed('into the box', () => run('scp', ['-F', config, join(folder, 'server.tar.gz'), `${alias}:server.tar.gz`], { env }));
    expect((await ssh(['sha256sum server.tar.gz'])).out).toContain(sum);
    await timed('out of it', () => run('scp', ['-F', config, `${alias}:server.tar.gz`, join(folder, 'back.tar.gz')], { env }));
    expect(
      createHash('sha256')
        .update(await readFile(join(folder, 'back.tar.gz')))
        .digest('hex'),
    ).toBe(sum);
    await ssh(['rm server.tar.gz']);
  });

  test('svc dev: the project is served from the box, a save is taken up, what changes in the box comes back, packages follow, Ctrl-C leaves its files', async () => {
    const project = join(tool.home, 'project');
    await mkdir(project, { recursive: true });
    await writeFile(join(project, 'svc.yaml'), `name: ${name}\nversion: 0.1.0\nentrypoint: agent:Greeter\n`);
    const source = (word: string): string =>
      `import { Agent, skill, z } from '@svc/sdk';\nexport class Greeter extends Agent {\n  name = '${name}';\n  description = 'Says a word';\n  version = '0.1.0';\n  word = skill({ description: 'A word.', input: z.object({}), output: z.string() }, async () => '${word}');\n}\n`;
    await writeFile(join(project, 'agent.ts'), source('one'));
    await writeFile(join(project, 'data.bin'), randomBytes(50_000));
    const dev = tool.spawn(['dev', '--project', project], { SVC_TOKEN: world.tokens.ada });
    await dev.saw(/is served at/);
    const [opened] = await host.boxes.list();
    const box_id = opened?.box_id ?? '';
    const address = host.boxes.address(box_id, 'web');
    const socketPath = 'unix' in address ? address.unix : '';
    const word = () => asked(socketPath, '/invoke/word');
    expect(await word()).toBe('"one"');
    const began = performance.now();
    await writeFile(join(project, 'agent.ts'), source('two'));
    await expect.poll(word, { timeout: 60_000, interval: 50 }).toBe('"two"');
    process.stdout.write(`a save is visible after ${Math.round(performance.now() - began)} ms\n`);
    await ssh([`echo made > ${name}/made.txt`]);
    await expect.poll(() => readFile(join(project, 'made.txt'), 'utf8').catch(() => ''), { timeout: 60_000, interval: 100 }).toBe('made\n');
    await writeFile(join(project, 'agent.ts'), 'export class Greeter {');
    await dev.saw(/not loaded/);
    expect(await word()).toBe('"two"');
    // Packages come with the file that names them, and again when it names others.
    const versioned = `import about from 'ms/package.json' with { type: 'json' };\n${source('two').replace("'two'", 'about.version')}`;
    for (const version of ['2.1.2', '2.1.3']) {
      await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'words', version: '1.0.0', type: 'module', dependencies: { ms: version } }));
      await writeFile(join(project, 'agent.ts'), versioned);
      await expect.poll(word, { timeout: 300_000, interval: 1_000 }).toBe(`"${version}"`);
    }
    dev.process.kill('SIGINT');
    expect(await dev.ended).toMatchObject({ code: 0, err: expect.stringContaining('goes to sleep') });
    expect((await ssh([`sha256sum < ${name}/data.bin`])).out).toContain(
      createHash('sha256')
        .update(await readFile(join(project, 'data.bin')))
        .digest('hex'),
    );
  });

  test('svc dev: an agent in Python is served from a box of its own, and a save is taken up', async () => {
    const { folder } = await scaffold({ name: 'box-python', description: 'Greets', target: tool.home, language: 'python' });
    const dev = tool.spawn(['dev', '--project', folder], { SVC_TOKEN: world.tokens.ada });
    await dev.saw(/is served at/);
    const first = await boxId();
    const mine = (await host.boxes.list()).find(({ box_id }) => box_id !== first)?.box_id ?? '';
    const address = host.boxes.address(mine, 'web');
    const greet = () => asked('unix' in address ? address.unix : '', '/invoke/greet', '{"name":"Ada"}');
    expect(await greet()).toBe('{"greeting":"Hello, Ada!"}');
    const began = performance.now();
    const file = join(folder, 'agent.py');
    const source = await readFile(file, 'utf8');
    const save = (greeting: string): Promise<void> => writeFile(file, source.replace('"Hello, {name}!"', greeting));
    await save('"Good day, {name}!"');
    await expect.poll(greet, { timeout: 300_000, interval: 50 }).toBe('{"greeting":"Good day, Ada!"}');
    process.stdout.write(`a save in Python is visible after ${Math.round(performance.now() - began)} ms\n`);
    await writeFile(file, source.replace('name = ', 'name = = '));
    await dev.saw(/agent\.py:\d+: SyntaxError[^]*not loaded/);
    expect(await greet()).toBe('{"greeting":"Good day, Ada!"}');
    // One process loads each change.
    await save(`"{__import__('os').getpid()} {name}"`);
    await expect.poll(greet, { timeout: 300_000, interval: 50 }).toMatch(/"\d+ Ada"/);
    const by = await greet();
    await save(`"{__import__('os').getpid()}, {name}"`);
    await expect.poll(greet, { timeout: 300_000, interval: 50 }).toBe(by.replace(' Ada', ', Ada'));
    dev.process.kill('SIGINT');
    expect(await dev.ended).toMatchObject({ code: 0 });
  });
}

async function boxId(): Promise<string> {
  // The names of boxes begin with the time that they were made at.
  return (await host.boxes.list()).map(({ box_id }) => box_id).toSorted()[0] ?? '';
}

/** Our configuration with another line first, which counts. */
async function configWith(line: string): Promise<string> {
  const path = join(tool.home, `config-${randomBytes(4).toString('hex')}`);
  const written = await readFile(config, 'utf8');
  const [word = ''] = line.split(' ');
  await writeFile(path, written.replace(new RegExp(`^  ${word} .*$`, 'm'), `  ${line}`));
  return path;
}

function asked(socketPath: string, path: string, body = '{}'): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, path, method: 'POST', headers: { 'content-type': 'application/json', host: 'box' }, agent: false }, (response) =>
      text(response).then(resolve, reject),
    );
    call.once('error', reject).end(body);
  });
}

/** SOCKS5 (RFC 1928), by hand. */
async function throughSocks(proxy: number, port: number, address = '127.0.0.1'): Promise<string> {
  const socket = connect(proxy, '127.0.0.1');
  socket.write(Buffer.from([5, 1, 0]));
  const target = Buffer.from([5, 1, 0, 1, ...address.split('.').map(Number), port >> 8, port & 255]);
  await new Promise<void>((resolve, reject) => socket.once('data', () => resolve()).once('error', reject));
  socket.write(target);
  const all = await reading(socket, true);
  if (all.charCodeAt(1) !== 0) throw new Error('refused');
  return all.slice(10);
}

function reading(socket: ReturnType<typeof connect>, raw = false): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.once('error', reject);
    socket.once('close', () => resolve(Buffer.concat(chunks).toString(raw ? 'latin1' : 'utf8')));
  });
}
