// Any image may be chosen (spec 2, Sandbox): pulled from a real registry, kept by digest, never trusted.
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findCommand, run as tool } from '../microvm/images/tools.ts';
import { run, sandboxInput, shell } from '#drivers/sandbox/test/programs.ts';
import { sandboxHost, type SandboxHost } from './test/host.ts';
import { type TestRegistry, testRegistry } from './test/registry.ts';
import { cites } from '#test/spec/verifies.ts';

let registry: TestRegistry;
let host: SandboxHost;
let folder: string;
let image: string;

// A machine may do without them; where everything is tested, it may not.
const missing = ['skopeo', 'umoci'].filter((command) => findCommand(command) === undefined);
const skipped = missing.length > 0 && process.env['CI'] === undefined;
const title = `images by OCI name${skipped ? ` (skipped: sudo apt-get install -y ${missing.join(' ')})` : ''}`;

const pulls = (): number => host.log.filter((line) => line['msg'] === 'image_pulled').length;

describe.skipIf(skipped)(title, () => {
  beforeAll(async () => {
    registry = await testRegistry();
    folder = await mkdtemp(join(tmpdir(), 'svc-layers-'));
    host = await sandboxHost({ plainRegistries: [registry.name], maxUnpackedBytes: 64 * 1_048_576 });
    image = await registry.push('tools/busy:1', [await registry.busybox()], ['PATH=/bin', 'FLAVOUR=mint']);
  });
  afterAll(async () => {
    await host.end();
    await registry.end();
    await rm(folder, { recursive: true, force: true });
  });

  it('are pulled from a registry and run: no libc, no folders of the usual kind, their own variables', { ...cites('sandbox.image') }, async () => {
    const { sandbox_id } = await host.runtime.create(sandboxInput({ image, memory_mib: 256 }));
    const { stdout } = await shell(host.runtime, sandbox_id, 'pwd; id -u; echo $FLAVOUR $PATH; echo x > f && cat f; ls /');
    expect(stdout).toBe('/workspace\n1000\nmint /bin\nx\nbin\ndev\nhome\nopt\nproc\nrun\nsys\ntmp\nworkspace\n');
    expect((await host.runtime.changes(sandbox_id, 100)).map(({ path }) => path)).toEqual(['f']);
    await host.runtime.remove(sandbox_id);
  });

  it('are kept by digest: a second sandbox pulls nothing, nor does one when the registry has gone', async () => {
    const before = pulls();
    const { sandbox_id } = await host.runtime.create(sandboxInput({ image, memory_mib: 256 }));
    expect(await run(host.runtime, sandbox_id, 'echo', ['again'])).toMatchObject({ stdout: 'again\n' });
    await host.runtime.remove(sandbox_id);
    expect(pulls()).toBe(before);
    expect((await readdir(join(host.stateDir, 'oci'))).filter((name) => name.endsWith('.erofs'))).toHaveLength(1);
  });

  it('are refused when the registry does not have them, is not allowed, or their name is none', async () => {
    for (const name of [`${registry.name}/tools/none:1`, '10.0.0.1:5000/x:1', '--help', 'UPPER/case'])
      await expect(host.runtime.create(sandboxInput({ image: name }))).rejects.toMatchObject({ code: 'image_unknown' });
  });

  it('cannot write outside of themselves while they are unpacked: links out, parents, devices', async () => {
    const target = join(folder, 'target');
    await mkdir(target, { mode: 0o777 });
    await tool('chmod', ['777', folder, target]);
    // The first layer brings a link to a folder of this host, the second writes through it.
    const first = join(folder, 'first');
    await mkdir(first);
    await symlink(target, join(first, 'out'));
    const second = join(folder, 'second');
    await mkdir(join(second, 'out'), { recursive: true });
    await writeFile(join(second, 'out/pwned'), 'x');
    const through = join(folder, 'through.tar');
    await tool('tar', ['-cf', through, '-C', second, 'out/pwned']);
    const parents = join(folder, 'parents.tar');
    await tool('tar', ['-cPf', parents, '-C', second, '--transform', `s,.*pwned,../../../../../../../..${target}/pwned,`, 'out/pwned']);
    const evil = await registry.push('evil/links:1', [await registry.busybox(), first, through, parents]);
    const made = await host.runtime.create(sandboxInput({ image: evil, memory_mib: 256 })).catch((error: unknown) => error);
    expect(await stat(join(target, 'pwned')).catch(() => 'none')).toBe('none');
    if (!(made instanceof Error)) await host.runtime.remove(Object(made).sandbox_id);
  });

  it('that unpack to more than is allowed are refused before anything is written', async () => {
    const bomb = join(folder, 'bomb');
    await mkdir(bomb);
    await tool('truncate', ['-s', '100M', join(bomb, 'zeros')]);
    const large = await registry.push('evil/bomb:1', [bomb]);
    await expect(host.runtime.create(sandboxInput({ image: large }))).rejects.toMatchObject({ code: 'image_failed' });
    expect((await readdir(tmpdir())).filter((name) => name.startsWith('svc-image-'))).toEqual([]);
  });

  it('when the registry is gone: cached images still work, others fail with the list of cached ones', async () => {
    await registry.stop();
    const { sandbox_id } = await host.runtime.create(sandboxInput({ image, memory_mib: 256 }));
    await host.runtime.remove(sandbox_id);
    await expect(host.runtime.create(sandboxInput({ image: `${registry.name}/other:1` }))).rejects.toThrow(/does not answer.*python:3\.11-slim/);
  });
});
