import { mkdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cacheFolder } from '#stack/setup/folders.mjs';
import { createEngine } from '../engine.ts';
import { shell, testMachines } from '../test/machines.ts';
import { ensureImages } from './images.ts';
import { makeLayer } from './layer.ts';

let vms: Awaited<ReturnType<typeof testMachines>>;

beforeAll(async () => {
  vms = await testMachines();
});
afterAll(() => vms.end());

async function tree(name: string): Promise<string> {
  const root = join(vms.root, name);
  await mkdir(join(root, 'opt/app/deep'), { recursive: true });
  await writeFile(join(root, 'opt/app/main.js'), 'console.log("from the layer")');
  await writeFile(join(root, 'opt/app/deep/data'), 'x'.repeat(100_000));
  await symlink('main.js', join(root, 'opt/app/link.js'));
  return root;
}

describe('images', () => {
  it('of the same tree are the same bytes, whenever and by whomever they are made', async () => {
    const a = await tree('a');
    const b = await tree('b');
    await utimes(join(b, 'opt/app/main.js'), 1, 1);
    const [first, second] = [await makeLayer(a, join(vms.root, 'a.erofs')), await makeLayer(b, join(vms.root, 'b.erofs'))];
    expect(first).toEqual(second);
    expect(first.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('stack: base, guest entry, layer, and a writable top', async () => {
    const source = join(vms.root, 'entry.js');
    await writeFile(source, 'console.log("from the guest entry")');
    const cacheDir = cacheFolder(process.env);
    const images = await ensureImages({ cacheDir, guestFiles: [{ path: '/opt/svc/guest/entry.js', source }] });
    const layer = join(vms.root, 'a.erofs');
    const machine = vms.keep(await createEngine({ cacheDir, images: () => images }).boot(vms.specOf('stack', { disks: { base: images.base, layer } })));
    const { code, out } = await shell(
      machine,
      'node /opt/svc/guest/entry.js; node /opt/app/link.js; bun --version; echo ok > /home/agent/file; cat /home/agent/file',
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^from the guest entry\nfrom the layer\n\d+\.\d+\.\d+\nok\n$/);
    await machine.suspend();
    await machine.wake();
    expect((await shell(machine, 'cat /opt/app/main.js')).out).toContain('from the layer');
  });

  it('carry nothing of the host they were made on', async () => {
    const machine = await vms.boot('clean');
    const { out } = await shell(machine, 'cat /etc/resolv.conf /etc/hostname /etc/machine-id 2>/dev/null; cat /etc/hosts; ls /root /home /tmp', 'root');
    expect(out).not.toContain((await readFile('/etc/hostname', 'utf8')).trim() || 'never');
    expect(out).toBe('127.0.0.1 localhost\n::1 localhost\n/home:\nagent\n\n/root:\n\n/tmp:\n');
  });
});
