import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from './engine.ts';
import type { Machine, Template } from './port.ts';
import { clockError, fetchGuest, startServer } from './test/guest-server.ts';
import { shell, testMachines } from './test/machines.ts';

let vms: Awaited<ReturnType<typeof testMachines>>;
let original: Machine;
let template: Template;
let clones: Machine[];

beforeAll(async () => {
  vms = await testMachines();
  original = await vms.boot('original');
  await startServer(original);
  template = await original.saveTemplate(join(vms.root, 'template'));
  clones = await Promise.all(
    ['c1', 'c2', 'c3', 'c4'].map(async (id) => vms.keep(await vms.engine.clone(template, { id, dir: join(vms.root, id), scratchMib: 64 }))),
  );
});
afterAll(() => vms.end());

describe('clones of one template', () => {
  it('share no random number with each other or the original, from any source', async () => {
    const draws: { bytes: string; uuid: string; integer: number; key: string; nonce: string }[] = [];
    for (const machine of [original, ...clones]) for (let i = 0; i < 2; i++) draws.push(JSON.parse((await fetchGuest(machine, '/draw')).text));
    for (const source of ['bytes', 'uuid', 'integer', 'key'] as const) expect(new Set(draws.map((draw) => draw[source])).size, source).toBe(10);
    expect(new Set(draws.map((draw) => draw.nonce)).size).toBe(5);
    for (const { nonce } of draws) expect(nonce).toMatch(/^[0-9a-f]{64}$/);
    const kernel = await Promise.all(clones.map((machine) => shell(machine, 'head -c 16 /dev/urandom | od -An -tx1; hostname')));
    expect(new Set(kernel.map(({ out }) => out)).size).toBe(4);
    expect(kernel.map(({ out }) => out.split('\n')[1])).toEqual(['c1', 'c2', 'c3', 'c4']);
  });

  it('have the right time', async () => {
    for (const machine of [original, ...clones]) expect(await clockError(machine)).toBeLessThan(2_000);
  });

  it('can suspend, wake and be taken up where the template was', async () => {
    const [clone] = clones;
    if (clone === undefined) throw new Error('no clone');
    const before = JSON.parse((await fetchGuest(clone, '/')).text).count;
    await clone.suspend();
    await clone.wake();
    expect(JSON.parse((await fetchGuest(clone, '/')).text).count).toBe(before + 1);
    const ended = clone.attach('server');
    await shell(clone, 'pkill -f server.mjs || kill $(grep -l server.mjs /proc/[0-9]*/cmdline | head -1 | cut -d/ -f3)');
    expect(await ended).toBe(143);
  });

  it('cannot write the template', async () => {
    for (const file of ['memory', 'state']) {
      const { uid, mode } = await stat(join(template.dir, file));
      expect({ uid, mode: mode & 0o777 }).toEqual({ uid: process.getuid?.(), mode: 0o600 });
    }
  });

  it.each(['guest', 'kernel', 'initrd'] as const)('are refused from a template that was made from another %s, as after a refresh', async (name) => {
    const other = createEngine({ cacheDir: vms.root, images: () => ({ ...vms.images, [name]: '/nowhere' }) });
    await expect(other.clone(template, { id: 'other', dir: join(vms.root, 'other'), scratchMib: 64 })).rejects.toMatchObject({ code: 'restore_failed' });
  });

  it('are refused from a folder that holds no template', async () => {
    await expect(vms.engine.clone({ ...template, dir: vms.root }, { id: 'none', dir: join(vms.root, 'none'), scratchMib: 64 })).rejects.toMatchObject({
      code: 'restore_failed',
    });
  });
});
