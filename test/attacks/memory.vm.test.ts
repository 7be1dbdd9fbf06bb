// A tenant looks for another's memory. Machines of all tenants start as clones of one snapshot and share its
// pages: what one wrote into its memory must be in no later clone (looked for by root of that guest, in all
// of its memory) and in no file of the host but its own.
import { createReadStream } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CloneMemory, Machine, Template } from '#host/microvm/port.ts';
import { shell, testMachines } from '#host/microvm/test/machines.ts';

let vms: Awaited<ReturnType<typeof testMachines>>;
let template: Template;

beforeAll(async () => {
  vms = await testMachines();
  const original = await vms.boot('original', { memoryMib: 192 });
  await shell(original, 'python3 -c "print(1)"', 'root');
  template = await original.saveTemplate(join(vms.root, 'template'));
  await original.kill();
});
afterAll(() => vms.end());

/**
 * Fills pages that are given back when it ends, as a tenant's program does; or holds them while the machine
 * is saved.
 */
const secretWriter = (marker: string, hold: boolean): string => `
import mmap
page = b'${marker}'.ljust(4096, b'.')
pages = mmap.mmap(-1, 16 << 20)
for n in range(4096): pages[n * 4096:n * 4096 + 4096] = page
print(len(pages), flush=True)
${hold ? 'import time; time.sleep(100000)' : ''}`;

/**
 * How many pages begin with the marker: in all memory that the kernel of this guest knows, and in new memory
 * as a program gets it. The marker is put together only byte by byte, so that the search does not find
 * itself.
 */
const searcher = (marker: string): string => `
import mmap, struct
reversed_marker = b'${Buffer.from(marker).reverse().toString()}'
found = looked = 0
def is_marked(view, at):
    return all(view[at + i] == reversed_marker[-1 - i] for i in range(len(reversed_marker)))
def count(view):
    return sum(1 for at in range(0, len(view), 4096) if view[at] == reversed_marker[-1] and is_marked(view, at))
core = open('/proc/kcore', 'rb', buffering=0)
head = core.read(64)
phoff, phnum = struct.unpack_from('<Q', head, 32)[0], struct.unpack_from('<H', head, 56)[0]
core.seek(phoff)
table = core.read(56 * phnum)
segments = [struct.unpack_from('<IIQQQQQQ', table, 56 * n) for n in range(phnum)]
# What is no memory has no physical address.
ram = [(offset, size) for kind, _, offset, _, address, size, _, _ in segments if kind == 1 and address < 1 << 40]
chunk = bytearray(1 << 20)
for offset, size in ram:
    at = 0
    while at < size:
        core.seek(offset + at)
        length = min(len(chunk), size - at)
        try:
            read = core.readinto(memoryview(chunk)[:length])
        except OSError:
            read = 0
        found += count(memoryview(chunk)[:read])
        looked += read
        for n in range(0, read, 4096): chunk[n] = 0
        at += length
core.close()
fresh = mmap.mmap(-1, 64 << 20)
found += count(memoryview(fresh))
print(f'{found} {looked >> 20}')
`;

async function search(machine: Machine, marker: string): Promise<{ found: number; mib: number }> {
  const { out, err } = await shell(machine, `python3 - <<'END'\n${searcher(marker)}\nEND`, 'root');
  const [found, mib] = out.trim().split(' ').map(Number);
  if (found === undefined || mib === undefined) throw new Error(`the search failed: ${err}`);
  return { found, mib };
}

const markerOf = (who: string): string => `TENANT-${who}-${process.pid}-${Date.now()}-`;

/** The files below `folder` that hold the marker. */
async function filesWith(folder: string, marker: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    let end = '';
    for await (const chunk of createReadStream(join(entry.parentPath, entry.name), { encoding: 'latin1', highWaterMark: 4_194_304 })) {
      const text = end + String(chunk);
      if (text.includes(marker)) {
        found.push(join(entry.parentPath, entry.name));
        break;
      }
      end = text.slice(-marker.length);
    }
  }
  return found;
}

const clone = async (id: string, of: Template, memory?: CloneMemory): Promise<Machine> =>
  vms.keep(await vms.engine.clone(of, { id, dir: join(vms.root, id), scratchMib: 40, ...(memory && { memory }) }));

test('the search sees a leak: in a snapshot that was saved with a tenant in it, and in its clone', async () => {
  const marker = markerOf('LEAKS');
  const first = await clone('leaks', template);
  // Not awaited: it holds its memory.
  void shell(first, `python3 -c "${secretWriter(marker, true).replaceAll('"', '\\"')}" > /tmp/held`, 'root').catch(() => undefined);
  await expect.poll(async () => (await shell(first, 'cat /tmp/held', 'root')).out, { timeout: 60_000 }).toContain('16777216');
  const leaking = await first.saveTemplate(join(vms.root, 'leaking'));
  await first.kill();
  const second = await clone('finds', leaking);
  const { found, mib } = await search(second, marker);
  expect(mib).toBeGreaterThan(100);
  // Of 4096; some are written over by then.
  expect(found).toBeGreaterThan(1_000);
  expect(await filesWith(leaking.dir, marker)).not.toEqual([]);
  await second.kill();
});

test.each(['own', 'shared'] as const)("a machine with %s memory finds nothing of the tenant before it, nor does the snapshot's file", async (memory) => {
  const marker = markerOf(memory.toUpperCase());
  const kind = memory === 'shared' ? memory : undefined;
  const first = await clone(`a-${memory}`, template, kind);
  expect((await shell(first, `python3 -c "${secretWriter(marker, false).replaceAll('"', '\\"')}"`, 'root')).out).toContain('16777216');
  // It is in the memory of the one that wrote it, freed: the search would find it.
  expect((await search(first, marker)).found).toBeGreaterThan(0);
  await first.kill();
  // Into the same folder, as an instance that is started again.
  const second = await clone(`a-${memory}`, template, kind);
  expect(await search(second, marker)).toEqual({ found: 0, mib: expect.any(Number) });
  await second.kill();
  await rm(join(vms.root, `a-${memory}`), { recursive: true, force: true });
  expect(await filesWith(vms.root, marker)).toEqual([]);
});
