// Snapshots that hosts share: made once, by one host at a time, found only whole and only by what they were
// made from.
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Machine, Template } from '../microvm/port.ts';
import { createSharedTemplates } from './templates.ts';

let dir: string;
beforeEach(async () => void (dir = await mkdtemp(join(tmpdir(), 'svc-templates-'))));
afterEach(() => rm(dir, { recursive: true }));

/** As much of a machine as saving takes. */
function machine(): Pick<Machine, 'saveTemplate'> {
  return {
    async saveTemplate(path): Promise<Template> {
      await mkdir(path);
      await writeFile(join(path, 'memory'), 'pages');
      return { dir: path, memoryMib: 1, cpus: 1, disks: { base: '/base' } };
    },
  };
}
// Safe: only saveTemplate is called.
const asMachine = (): Machine => machine() as Machine;

it('two hosts that want the same snapshot make it once', async () => {
  const hosts = [createSharedTemplates(dir), createSharedTemplates(dir)];
  let made = 0;
  const get = (host: (typeof hosts)[number]) =>
    host.exclusive('_build', 'v1', async () => {
      const found = await host.find('_build', 'v1');
      if (found) return found;
      made += 1;
      return host.save('_build', 'v1', asMachine());
    });
  const [first, second] = await Promise.all(hosts.map(get));
  expect(made).toBe(1);
  expect(first).toEqual(second);
  expect(await hosts[0]?.find('_build', 'v2')).toBeUndefined();
  expect(await hosts[0]?.find('_preloaded', 'v1')).toBeUndefined();
});

it('a snapshot whose maker was killed is not found, and is made again', async () => {
  const host = createSharedTemplates(dir);
  const saved = await host.save('_build', 'v1', asMachine());
  await rm(join(saved.dir, 'svc-template.json'));
  expect(await host.find('_build', 'v1')).toBeUndefined();
  await host.save('_build', 'v1', asMachine());
  expect(await host.find('_build', 'v1')).toEqual(saved);
});

it('the three that were used last of a name are kept; names that begin alike are not counted together', async () => {
  const host = createSharedTemplates(dir);
  for (const version of ['a', 'b', 'c', 'd', 'e']) await host.save('_build', version, asMachine());
  await host.save('_build-python', 'a', asMachine());
  const kept = await readdir(dir);
  expect(kept.filter((name) => name.startsWith('_build-python-'))).toHaveLength(1);
  expect(kept).toHaveLength(4);
  expect(await host.find('_build', 'e')).toBeDefined();
  expect(await host.find('_build', 'a')).toBeUndefined();
});

it('a host that stops does not wait for the snapshot of another', async () => {
  const [maker, other] = [createSharedTemplates(dir), createSharedTemplates(dir)];
  const [begun, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const making = maker.exclusive('_build', 'v1', () => (begun.resolve(), finish.promise));
  await begun.promise;
  const stopping = new AbortController();
  const waiting = other.exclusive('_build', 'v1', async () => 'made', stopping.signal);
  stopping.abort();
  await expect(waiting).rejects.toThrow('abort');
  finish.resolve();
  await making;
});
