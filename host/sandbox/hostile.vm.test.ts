// Code that wants out, or wants to take everything with it (spec 2, Sandbox: microvm-class isolation). Each
// attempt is made for real.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer as createHttp, request } from 'node:http';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Machine } from '../microvm/port.ts';
import { channelJunk, shell as guestShell } from '../microvm/test/machines.ts';
import { sandboxEgress } from './egress.ts';
import { MAX_OUTPUT_BYTES } from '#drivers/sandbox/port.ts';
import { sandboxHost, type SandboxHost } from './test/host.ts';
import { cites } from '#test/spec/verifies.ts';
import { filesOf, run, sandboxInput, shell } from '#drivers/sandbox/test/programs.ts';

let host: SandboxHost;
let plane: Server;
let reached = 0;
const { sandbox_id: id } = sandboxInput();
const { sandbox_id: neighbour } = sandboxInput();

beforeAll(async () => {
  plane = createHttp((_request, response) => {
    reached++;
    response.end('control plane');
  }).listen(0, '127.0.0.1');
  await once(plane, 'listening');
  host = await sandboxHost({ controlPlane: `http://localhost:${portOf(plane)}` });
  await host.runtime.create(sandboxInput({ sandbox_id: id, memory_mib: 256, egress: ['*.example.com', 'localhost.example'] }));
  await host.runtime.create(sandboxInput({ sandbox_id: neighbour, memory_mib: 256 }));
});
afterAll(async () => {
  await host.end();
  plane.close();
});

const portOf = (server: Server): number => {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};
const python = (script: string, timeoutMs = 60_000) => run(host.runtime, id, 'python3', ['-c', script], timeoutMs);
const alive = async (): Promise<void> => expect(await shell(host.runtime, id, 'echo alive', 30_000)).toMatchObject({ stdout: 'alive\n' });

describe('code that wants out', () => {
  it('finds no network: no card, no route, no raw socket; the metadata address, the host and its services do not exist', async () => {
    const { stdout } = await python(`
import socket
for target in (('169.254.169.254', 80), ('10.0.2.2', ${portOf(plane)}), ('192.168.0.1', 80), ('93.184.216.34', 80), ('127.0.0.1', ${portOf(plane)})):
    try: socket.create_connection(target, 3); print('REACHED', target)
    except OSError as e: print(e.errno)
for kind in ((socket.AF_INET, socket.SOCK_RAW, 1), (socket.AF_PACKET, socket.SOCK_RAW, 0), (socket.AF_VSOCK, socket.SOCK_STREAM, 0)):
    try: s = socket.socket(*kind); s.connect((2, 1)) if kind[0] == socket.AF_VSOCK else None; print('RAW', kind)
    except OSError as e: print('refused')
`);
    expect(stdout).not.toMatch(/REACHED|RAW/);
    expect(stdout.match(/refused/g)).toHaveLength(3);
    expect((await shell(host.runtime, id, 'cat /proc/net/dev | tail -n +3 | cut -d: -f1; tail -n +2 /proc/net/route')).stdout.trim()).toBe('lo');
  });

  it('reaches through the proxy only what its owner named: never the control plane, metadata or this host', cites('sandbox.spec'), async () => {
    const { stdout } = await python(`
import socket
for target in ('localhost:${portOf(plane)}', '127.0.0.1:${portOf(plane)}', '169.254.169.254:80', 'metadata.google.internal:80', 'example.org:443', 'a.example.com:22', '[::1]:${portOf(plane)}'):
    s = socket.create_connection(('127.0.0.1', 3128), 5)
    s.sendall(f'CONNECT {target} HTTP/1.1\\r\\nHost: {target}\\r\\n\\r\\n'.encode())
    print(s.recv(100).split(b'\\r\\n')[0].decode())
s = socket.create_connection(('127.0.0.1', 3128), 5)
s.sendall(b'GET http://localhost:${portOf(plane)}/run/v1/questions HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n')
print(s.recv(100).split(b'\\r\\n')[0].decode())
`);
    expect(stdout.trim().split('\n')).toHaveLength(8);
    for (const line of stdout.trim().split('\n')) expect(line).toMatch(/^HTTP\/1\.1 403/);
    expect(reached).toBe(0);
    expect(await host.runtime.logs(id, 50)).toMatch(/refused/);
  });

  it('is refused a name that leads to the platform or inside, whatever its owner named', async () => {
    const lookup = async (name: string): Promise<string[]> => (name === 'evil.example.com' ? ['10.1.2.3'] : ['203.1.113.9']);
    const refusals: string[] = [];
    const platform = { controlPlane: 'https://svc.example.com' };
    const proxy = sandboxEgress(['evil.example.com', 'svc.example.com', 'alias.example.com'], platform, { onRefusal: (line) => refusals.push(line) }, lookup);
    const server = createServer((socket) => proxy.handle(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    for (const target of ['svc.example.com', 'alias.example.com']) expect(await connectThrough(portOf(server), `${target}:443`)).toBe(403);
    expect(await connectThrough(portOf(server), 'evil.example.com:443')).toBe(502);
    expect(refusals).toHaveLength(3);
    proxy.close();
    server.close();
  });

  it('sees no file, process or memory of this host, and cannot change the kernel or its disks', async () => {
    const script = `
for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sysrq-trigger /sys/fs/cgroup/programs/pids.max /sys/fs/cgroup/programs/cgroup.procs /dev/mem /dev/kmem /dev/port /dev/vda /proc/1/mem /dev/kmsg /sys/power/state /proc/kcore; do (echo x > $f) 2>/dev/null && echo WROTE $f; done
for f in /dev/vport*; do (echo junk > $f) 2>/dev/null && echo WROTE $f; done
mount -t tmpfs x /mnt 2>/dev/null && echo MOUNTED
mknod /tmp/disk b 254 0 2>/dev/null && echo MADE
cat /proc/1/environ /proc/1/mem 2>/dev/null | head -c 10
ls ${host.stateDir} /root 2>/dev/null
grep -c . /proc/kallsyms >/dev/null; date -s @0 2>/dev/null >/dev/null && echo CLOCK
echo done`;
    expect((await shell(host.runtime, id, script)).stdout).toBe('done\n');
  });

  it('finds no credential of the platform', async () => {
    expect((await shell(host.runtime, id, 'env; cat /run/svc/* 2>/dev/null; cat /proc/cmdline')).stdout).not.toMatch(/svc_|SVC_|token|secret/i);
  });

  it('does not share randomness or names with the next sandbox', async () => {
    const draw = 'import os, random, uuid, secrets, ssl; print(os.urandom(8).hex(), random.random(), uuid.uuid4(), ssl.RAND_bytes(8).hex())';
    const [a, b] = await Promise.all([id, neighbour].map((one) => run(host.runtime, one, 'python3', ['-c', draw])));
    const [left, right] = [a?.stdout.trim().split(' ') ?? [], b?.stdout.trim().split(' ') ?? []];
    expect(left).toHaveLength(4);
    left.forEach((word, index) => expect(word).not.toBe(right[index]));
  });
});

describe('code that takes everything', () => {
  it('multiplies without end: its time limit ends all of it, and the sandbox goes on', async () => {
    const bomb = await shell(host.runtime, id, 'f() { f | f & }; f; while :; do :; done', 4_000);
    expect(bomb.timed_out).toBe(true);
    await alive();
    expect(await run(host.runtime, neighbour, 'echo', ['fine'])).toMatchObject({ stdout: 'fine\n' });
  });

  it('eats all memory: its own kernel ends it', async () => {
    expect((await python('a = []\nwhile True: a.append(bytearray(10_000_000))')).exit_code).not.toBe(0);
    await alive();
  });

  it('fills its disk: half its memory, then no more', async () => {
    const { stdout } = await shell(host.runtime, id, 'dd if=/dev/zero of=/tmp/big bs=1M 2>&1; rm -f /tmp/big');
    expect(stdout).toMatch(/No space left/);
    const written = Number(/(\d+) bytes/.exec(stdout)?.[1]);
    expect(written).toBeLessThanOrEqual(128 * 1_048_576);
    await alive();
  });

  it('writes a gigabyte to its output: two halves are kept, this process does not grow by it', async () => {
    const before = process.memoryUsage().rss;
    const flood = await shell(host.runtime, id, 'head -c 1073741824 /dev/zero | tr "\\0" x', 45_000);
    expect(flood.truncated).toBe(true);
    expect(Buffer.byteLength(flood.stdout)).toBeLessThan(MAX_OUTPUT_BYTES + 200);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1_048_576);
    expect((await host.runtime.logs(id, 1_000)).length).toBeLessThan(20 * 1_048_576);
    await alive();
  });

  it('makes a thousand files, names that are none, and links out of its folder: all of the first come out, nothing of the rest', async () => {
    const made = await python('for n in range(1_000): open(f"/workspace/f{n}", "w").close()', 170_000);
    expect(made.timed_out).toBe(false);
    expect(await host.runtime.changes(id, 1_000_000)).toHaveLength(1_000);
    await shell(
      host.runtime,
      id,
      'rm -rf /workspace/*; ln -s / root; ln -s ../etc/passwd pw; mkfifo pipe; printf x > ok; printf x > "$(printf \'a\\nb\')"; mkdir d; ln /workspace/ok d/hard',
    );
    const changes = await host.runtime.changes(id, 1_000_000);
    expect(changes.map(({ path }) => path).toSorted()).toEqual(['d/hard', 'ok']);
    await shell(host.runtime, id, 'rm -rf /workspace/*');
  });

  it('changes files while they are read: what comes out is whole records, or an error', async () => {
    const { sandbox_id } = await host.runtime.create(sandboxInput({ memory_mib: 256, files: filesOf({ 'a/x': 'x' }) }));
    const churn = shell(
      host.runtime,
      sandbox_id,
      'while :; do echo xxxxxxxxxxxxxxxxxxx > y; : > y; rm -rf a; ln -s /etc a; rm a; mkdir a; echo z > a/x; done',
      12_000,
    );
    churn.catch(() => undefined); // it is killed below
    for (let n = 0; n < 5; n++) {
      const changes = await host.runtime.changes(sandbox_id, 100_000).catch((error: unknown) => error);
      if (Array.isArray(changes)) for (const { path } of changes) expect(['a/x', 'y']).toContain(path);
      else expect(changes).toMatchObject({ code: 'bad_request' });
    }
    await host.runtime.kill(sandbox_id);
    await churn.catch(() => undefined);
    await host.runtime.remove(sandbox_id);
  });
});

/** Sandboxes run nothing as root of the guest: this is what a hole in the guest's kernel would give. */
describe('code that became root of its guest', () => {
  const { sandbox_id: taken } = sandboxInput();
  let machine: Machine;
  beforeAll(async () => {
    await host.runtime.create(sandboxInput({ sandbox_id: taken, memory_mib: 256 }));
    machine = host.newestMachine();
  });

  it('finds no way out, no disk that can be written and no service of the host', cites('service.isolation'), async () => {
    const { out } = await guestShell(
      machine,
      `
echo user $(id -u)
echo links $(ls /sys/class/net)
for disk in /dev/vd?; do (echo junk > $disk) 2>/dev/null && echo WROTE $disk; done
mount -o remount,rw /base 2>/dev/null && echo REMOUNTED
mkdir -p /tmp/at && mount -t 9p x /tmp/at 2>/dev/null && echo SHARED
mount -t virtiofs x /tmp/at 2>/dev/null && echo SHARED
for port in /dev/vport*; do (exec 9<>$port) 2>/dev/null && echo SECOND $port; done
for socket in /run/svc/host/*.sock; do test -S "$socket" && echo OFFERED $socket; done
find /sys/bus/pci/devices /sys/class/vsock -mindepth 1 2>/dev/null
echo done`,
      'root',
    );
    expect(out).toBe('user 0\nlinks lo\ndone\n');
    expect(await run(host.runtime, neighbour, 'echo', ['fine'])).toMatchObject({ stdout: 'fine\n' });
  });

  it('writes junk to the channel: its sandbox ends with a reason that its callers get, the neighbour and this host continue', async () => {
    const caller = run(host.runtime, taken, 'sleep', ['600'], 600_000);
    caller.catch(() => undefined); // awaited below
    await expect.poll(async () => (await guestShell(machine, 'cat /proc/[0-9]*/comm', 'root')).out, { timeout: 30_000 }).toContain('sleep');
    const junk = machine.exec('python3', ['-c', channelJunk], { user: 'root' });
    junk.catch(() => undefined);
    await expect(caller).rejects.toMatchObject({ code: 'stopped' });
    await expect.poll(async () => (await host.runtime.get(taken))?.state, { timeout: 20_000 }).toBe('stopped');
    expect(await host.runtime.logs(taken, 20)).toMatch(/ended unexpectedly: the guest broke the channel's protocol/);
    await expect(run(host.runtime, taken, 'true')).rejects.toMatchObject({ code: 'stopped' });
    expect(await run(host.runtime, neighbour, 'echo', ['fine'])).toMatchObject({ stdout: 'fine\n' });
    await host.runtime.remove(taken);
  });
});

describe('after all that', () => {
  it('nothing runs and no folder is left once the sandboxes are removed', async () => {
    for (const one of [id, neighbour]) await host.runtime.remove(one);
    expect(await readdir(join(host.stateDir, 'sandbox'))).toEqual([]);
    expect(await readdir(join(host.stateDir, 'sandbox-vm'))).toEqual([]);
    const { stdout } = spawn('ps', ['-eo', 'args']);
    let processes = '';
    for await (const chunk of stdout) processes += String(chunk);
    expect(processes).not.toContain(host.stateDir);
  });
});

function connectThrough(port: number, target: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, method: 'CONNECT', path: target });
    asking.once('connect', (response, socket) => {
      socket.destroy();
      resolve(response.statusCode ?? 0);
    });
    asking.once('response', (response) => {
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    asking.once('error', reject);
    asking.end();
  });
}
