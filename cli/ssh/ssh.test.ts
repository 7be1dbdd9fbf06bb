// svc ssh and svc ssh-proxy against the real HTTP kernel: what they write for OpenSSH, what they print, and
// the bytes they carry.
import { mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { serveForTest } from '#api/http/test/serve.ts';
import { refuseUpgrade } from '#api/ingress/upgrade.ts';
import { devBox, TUNNEL_PROTOCOL } from '#contract/identity/dev-box.ts';
import { NotFound, Unauthorized } from '#core/kernel/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { signedIn, toolAt } from '../test/signed-in.ts';
import { shellQuoted } from '../lib/shell-quoted.ts';

const HOST_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHostKeyHostKeyHostKeyHostKeyHostKeyHostKe0';
const seen = { keys: [] as string[], tokens: [] as (string | undefined)[], echoes: 0 };
let base = '';
const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => TUNNEL_PROTOCOL });
sockets.on('connection', (socket) => {
  socket.send('The dev box is starting.');
  socket.on('message', (data: Buffer) => {
    if (data.toString() === 'refuse me') socket.close(1011, 'No room for another dev box.');
    else socket.send(Buffer.concat([Buffer.from('echo:'), data]), () => void (seen.echoes += 1));
  });
});

const { tool } = await toolAt(
  await serveForTest(
    { agents: devBox },
    {
      agents: {
        ssh: async (_ctx, { params, body }) => {
          if (params.name === 'nobody') throw new NotFound('agent_not_found', 'There is no agent nobody that you can see');
          seen.keys.push(body.public_key);
          return {
            url: `${base.replace('http', 'ws')}/v1/agents/${params.name}/ssh/tunnel`,
            protocol: TUNNEL_PROTOCOL,
            access_token: `svc_box_${params.name}`,
            expires_at: '2026-11-26T00:00:00.000Z',
            user: 'agent',
            host_key: HOST_KEY,
            folder: `/home/agent/${params.name}`,
            state: 'stopped' as const,
            web_url: `http://${params.name}--dev.localhost:8080`,
          };
        },
      },
    },
    {
      upgrades: [
        (request, socket, head) => {
          seen.tokens.push(request.headers.authorization);
          if (request.url?.includes('closed')) refuseUpgrade(socket, new Unauthorized('token_invalid', 'This token opens no tunnel'), 'req_1');
          else sockets.handleUpgrade(request, socket, head, (client) => sockets.emit('connection', client, request));
          return true;
        },
      ],
    },
  ).then((api) => {
    base = api.url;
    return api;
  }),
);
const home = (...path: string[]) => join(tool.home, ...path);

test('--json says how to connect; key, known host and alias are files of ours, and the person keeps their own configuration', async () => {
  await mkdir(home('.ssh'), { recursive: true });
  await writeFile(home('.ssh/config'), 'Host mine\n  User me\n');
  const { code, out, err } = await tool.run(['ssh', 'reporter', '--json'], signedIn);
  expect(code, err).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    agent: 'reporter',
    alias: 'svc-reporter',
    command: 'ssh svc-reporter',
    host_key: HOST_KEY,
    identity_file: home('.svc/ssh/reporter/id_ed25519'),
  });
  for (const file of ['id_ed25519', 'id_ed25519.pub', 'config', 'known_hosts'])
    expect((await stat(home('.svc/ssh/reporter', file))).mode & 0o077, file).toBe(0);
  expect(await readFile(home('.svc/ssh/reporter/known_hosts'), 'utf8')).toBe(`svc-reporter ${HOST_KEY}\n`);
  expect(seen.keys.at(-1)).toBe((await readFile(home('.svc/ssh/reporter/id_ed25519.pub'), 'utf8')).trim());
  await tool.run(['ssh', 'other', '--print'], signedIn);
  expect(await readFile(home('.ssh/config'), 'utf8')).toBe(`# svc: dev boxes\nInclude ${home('.svc/ssh/*/config')}\n\nHost mine\n  User me\n`);
  const config = await readFile(home('.svc/ssh/reporter/config'), 'utf8');
  expect(config).toMatch(/^ {2}ProxyCommand .*bin\.mjs ssh-proxy --api http:\S+ reporter$/m);
  for (const line of ['StrictHostKeyChecking yes', 'IdentitiesOnly yes', 'ForwardAgent no', 'HostKeyAlias svc-reporter'])
    expect(config).toContain(`  ${line}\n`);
  expect(config).not.toContain('svc_box_');
});

test('a key is used for a day; the bridge that ssh has started keeps the one that ssh has read', async () => {
  const key = () => readFile(home('.svc/ssh/reporter/id_ed25519.pub'), 'utf8');
  const first = await key();
  await tool.run(['ssh', 'reporter', '--print'], signedIn);
  expect(await key()).toBe(first);
  const yesterday = new Date(Date.now() - 25 * 3_600_000);
  await utimes(home('.svc/ssh/reporter/id_ed25519'), yesterday, yesterday);
  await tool.run(['ssh-proxy', 'reporter'], signedIn);
  expect(await key()).toBe(first);
  await tool.run(['ssh', 'reporter', '--print'], signedIn);
  expect(await key()).not.toBe(first);
});

test('ssh-proxy carries bytes between its streams and the tunnel; notes go to standard error; the token goes as a header', async () => {
  const stdin = new PassThrough();
  const running = tool.run(['ssh-proxy', 'reporter'], { ...signedIn, stdin });
  stdin.write('SSH-2.0-test\r\n');
  await expect.poll(() => [seen.tokens.at(-1), seen.echoes]).toEqual(['Bearer svc_box_reporter', 1]);
  stdin.end();
  expect(await running).toEqual({ code: 0, out: 'echo:SSH-2.0-test\r\n', err: 'The dev box is starting.\n' });
});

test('a refusal is said with what to do: of the tunnel, of the host, of the platform', async () => {
  expect(await tool.run(['ssh-proxy', 'closed'], signedIn)).toMatchObject({ code: EXIT.failure, err: expect.stringContaining('This token opens no tunnel') });
  const stdin = new PassThrough();
  stdin.write('refuse me');
  expect(await tool.run(['ssh-proxy', 'reporter'], { ...signedIn, stdin })).toMatchObject({
    code: EXIT.failure,
    err: expect.stringContaining('No room for another dev box.'),
  });
  expect(await tool.run(['ssh', 'nobody'], signedIn)).toMatchObject({ code: EXIT.failure, err: expect.stringContaining('no agent nobody') });
  expect(await tool.run(['ssh', 'reporter', '--port', '2222'], signedIn)).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('--tunnel') });
});

test('--tunnel serves the box at a local port, each connection by a token of its own', async () => {
  const child = tool.spawn(['ssh', 'reporter', '--tunnel', '--json'], { SVC_TOKEN: 'ada' });
  const [, port] = await child.saw(/at 127\.0\.0\.1:(\d+)/);
  const asked = seen.keys.length;
  const socket = connect(Number(port), '127.0.0.1');
  socket.write('hello');
  expect(await new Promise((resolve) => socket.once('data', (chunk: Buffer) => resolve(chunk.toString())))).toBe('echo:hello');
  expect(seen.keys.length).toBe(asked + 1);
  socket.destroy();
  child.process.kill('SIGINT');
  const { code, out } = await child.ended;
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ host: '127.0.0.1', port: Number(port), command: expect.stringContaining('ssh -p') });
});

test('a command after the agent is run there, and its exit code is the tool’s', async () => {
  await mkdir(home('bin'), { recursive: true });
  // In the place of OpenSSH: what it is asked to do, without an sshd behind the tunnel.
  await writeFile(home('bin/ssh'), '#!/bin/sh\necho "$@"\nexit 7\n', { mode: 0o755 });
  const env = { SVC_TOKEN: 'ada', PATH: `${home('bin')}:${process.env.PATH ?? ''}` };
  const { code, out } = await tool.spawn(['ssh', 'reporter', '--', 'npm', 'test', '--', '-x'], env).ended;
  expect({ code, out }).toEqual({ code: 7, out: expect.stringMatching(/ svc-reporter npm test -- -x\n$/) });
  expect((await tool.run(['ssh', 'reporter', '--print', '--', 'ls'], signedIn)).code).toBe(EXIT.usage);
});

test('words for a shell', () => {
  expect(shellQuoted('/a/b-c')).toBe('/a/b-c');
  expect(shellQuoted("it's a path")).toBe("'it'\\''s a path'");
});
