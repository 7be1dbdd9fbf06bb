// An attacker who controls the guest, root included, harms only the guest.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Machine } from './port.ts';
import { fetchGuest, startServer } from './test/guest-server.ts';
import { channelJunk, shell, testMachines } from './test/machines.ts';

let vms: Awaited<ReturnType<typeof testMachines>>;
let machine: Machine;

beforeAll(async () => {
  vms = await testMachines();
  machine = await vms.boot('hostile');
  await startServer(machine);
});
afterAll(() => vms.end());

describe('a hostile agent', () => {
  it('has no way out: no network card, no route, no name service', async () => {
    expect((await shell(machine, 'cat /proc/net/route | tail -n +2; cat /etc/resolv.conf 2>/dev/null', 'root')).out).toBe('');
    expect((await shell(machine, "node -e \"require('net').connect(80, '93.184.216.34').on('error', e => { console.log(e.code); })\"")).out).toBe(
      'ENETUNREACH\n',
    );
  });

  it('cannot become root of the guest, nor change the read-only disks', async () => {
    expect((await shell(machine, 'echo x > /usr/bin/evil')).code).not.toBe(0);
    expect((await shell(machine, 'mount -o remount,rw / 2>&1')).code).not.toBe(0);
    expect((await shell(machine, 'cat /dev/vda | head -c1')).code === 0 && (await shell(machine, 'echo x > /dev/vda')).code === 0).toBe(false);
    expect((await shell(machine, 'dd if=/dev/zero of=/dev/vda count=1 2>&1; head -c 4096 /dev/vda | tail -c 100 | od | head -1', 'root')).out).toMatch(
      /not permitted|rror/,
    );
  });

  it('fills its disk, and only its disk', async () => {
    const { out } = await shell(machine, 'dd if=/dev/zero of=/home/agent/big bs=1M 2>&1; rm -f /home/agent/big');
    expect(out).toMatch(/No space left/);
    expect((await fetchGuest(machine, '/')).text).toContain('count');
  });

  it('starts a fork bomb that its group bounds; the first process still answers', async () => {
    const abort = new AbortController();
    const bomb = machine.exec('/bin/sh', ['-c', 'f() { f | f & }; echo go; f; sleep 1000'], { signal: abort.signal });
    await machine.exec('/bin/true', [], { user: 'root' });
    const limit = await shell(machine, 'cat /sys/fs/cgroup/programs/pids.max', 'root');
    expect(Number(limit.out)).toBeGreaterThan(0);
    abort.abort();
    expect(await bomb).toBeGreaterThan(0);
    expect((await fetchGuest(machine, '/')).text).toContain('count');
  });

  it('eats all memory and is ended by its own kernel', async () => {
    const { code } = await shell(machine, 'exec node -e "const a = []; for (;;) a.push(Buffer.alloc(1e7, 1))"');
    expect(code).not.toBe(0);
    expect(machine.state).toBe('running');
    expect((await shell(machine, 'echo alive')).out).toBe('alive\n');
  });

  it('does not delay another machine for ever: a spinning guest still sleeps', async () => {
    const spin = machine.exec('/bin/sh', ['-c', 'while :; do :; done'], { name: 'spin' });
    spin.catch(() => undefined);
    await machine.suspend();
    await machine.wake();
    expect(machine.state).toBe('running');
    expect((await shell(machine, 'echo alive')).out).toBe('alive\n');
  });

  it('as root writes junk to the channel: its machine ends with a reason, and this process goes on', async () => {
    const stream = await machine.connect('http');
    const lost = new Promise((resolve) => stream.once('close', resolve));
    const junk = machine.exec('python3', ['-c', channelJunk], { user: 'root' });
    junk.catch(() => undefined);
    expect((await machine.stopped).reason).toMatch(/broke the channel's protocol/);
    await lost;
    expect(machine.state).toBe('stopped');
    await expect(junk).rejects.toThrow();
  });

  it('leaves nothing of itself in files others may read', async () => {
    const { mode } = await stat(machine.spec.dir);
    expect(mode & 0o077).toBe(0);
    expect(await readFile(join(machine.spec.dir, 'machine.json'), 'utf8')).not.toMatch(/secret|password/i);
  });
});
