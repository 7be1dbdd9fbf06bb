// The initial RAM disk: our static first process and the kernel modules it loads. Uncompressed: unpacking
// costs more than reading.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cached, hashOf, workFolder } from './cache.ts';
import { unxz } from './kernel.ts';
import { run } from './tools.ts';

const WANTED = ['virtio_mmio', 'virtio_blk', 'virtio_console', 'erofs', 'overlay'];
const RECIPE = 'initrd-1';
const sources = new URL('../guest/', import.meta.url).pathname;

export async function ensureInitrd(cacheDir: string, kernelDir: string, onProgress: (text: string) => void): Promise<string> {
  const files = (await readdir(sources)).filter((file) => /\.[ch]$/.test(file)).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(join(sources, file))));
  return cached(cacheDir, `initrd-${hashOf(RECIPE, basename(kernelDir), ...texts)}.cpio`, async (path) => {
    onProgress('initrd: compiling the first process');
    const work = await workFolder(path);
    try {
      const init = join(work, 'init');
      const c = files.filter((file) => file.endsWith('.c')).map((file) => join(sources, file));
      await run('gcc', ['-static', '-Os', '-s', '-D_GNU_SOURCE', '-Wall', '-o', init, ...c]);
      const modules = await modulesInOrder(join(kernelDir, 'modules'), work);
      const list = modules.map((module) => `${module.name}.ko\n`).join('');
      await writeFile(
        path,
        archive([
          { name: 'init', mode: 0o100755, bytes: await readFile(init) },
          { name: 'modules', mode: 0o040755, bytes: new Uint8Array() },
          { name: 'modules.list', mode: 0o100644, bytes: Buffer.from(list) },
          ...modules.map((module) => ({ name: `modules/${module.name}.ko`, mode: 0o100644, bytes: module.bytes })),
        ]),
      );
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
}

export async function ensureClockRate(cacheDir: string): Promise<string> {
  const source = new URL('clock-rate.c', import.meta.url).pathname;
  return cached(cacheDir, `clock-rate-${hashOf(await readFile(source))}`, async (path) => {
    await run('gcc', ['-static', '-O2', '-s', '-D_GNU_SOURCE', '-o', path, source]);
  });
}

// A package carries no modules.dep (the installation makes it), so the order comes from each module's own
// `depends=`.
async function modulesInOrder(tree: string, work: string): Promise<{ name: string; bytes: Uint8Array }[]> {
  const paths = new Map<string, string>();
  for (const entry of await readdir(tree, { recursive: true })) {
    const name = /([^/]+)\.ko(\.xz)?$/.exec(entry)?.[1];
    if (name !== undefined) paths.set(name.replaceAll('-', '_'), join(tree, entry));
  }
  const done = new Map<string, Uint8Array>();
  const visit = async (name: string): Promise<void> => {
    const path = paths.get(name);
    if (path === undefined || done.has(name)) return; // built into this kernel
    const bytes = path.endsWith('.xz') ? await unpack(path, join(work, `${name}.ko`)) : await readFile(path);
    const at = bytes.indexOf('\0depends=');
    const depends = at < 0 ? '' : bytes.toString('latin1', at + 9, bytes.indexOf(0, at + 9));
    for (const other of depends.split(',')) await visit(other.replaceAll('-', '_'));
    done.set(name, bytes);
  };
  for (const name of WANTED) await visit(name);
  return [...done].map(([name, bytes]) => ({ name, bytes }));
}

async function unpack(path: string, out: string): Promise<Buffer> {
  await unxz(await readFile(path), out);
  return readFile(out);
}

const pad = (length: number): Buffer => Buffer.alloc((4 - (length % 4)) % 4);

/** A cpio archive in the "newc" form the kernel reads. */
export function archive(entries: { name: string; mode: number; bytes: Uint8Array }[]): Buffer {
  const pieces: Uint8Array[] = [];
  for (const [index, { name, mode, bytes }] of [...entries, { name: 'TRAILER!!!', mode: 0, bytes: new Uint8Array() }].entries()) {
    const fields = [index + 1, mode, 0, 0, 1, 0, bytes.length, 0, 0, 0, 0, name.length + 1, 0];
    const head = `070701${fields.map((field) => field.toString(16).padStart(8, '0')).join('')}${name}\0`;
    pieces.push(Buffer.from(head), pad(head.length), bytes, pad(bytes.length));
  }
  return Buffer.concat(pieces);
}
