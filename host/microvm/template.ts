// A template on disk: memory and device state of a warmed machine, never given to any machine's process to
// write.
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MicroVmError, run } from './images/tools.ts';
import { Record } from './qemu/record.ts';

/**
 * Holes stay holes; blocks are shared where the file system can. The copy is readable only by its owner: it
 * is a guest's memory.
 */
export async function copySparse(from: string, to: string): Promise<void> {
  await (await open(to, 'wx', 0o600)).close();
  await run('cp', ['--reflink=auto', '--sparse=auto', '--no-preserve=mode,ownership', from, to]);
}

export async function writeTemplate(dir: string, record: Record): Promise<void> {
  await writeFile(join(dir, 'template.json'), JSON.stringify(record), { mode: 0o600 });
}

export async function readTemplate(dir: string): Promise<Record> {
  try {
    return Record.parse(JSON.parse(await readFile(join(dir, 'template.json'), 'utf8')));
  } catch (cause) {
    throw new MicroVmError('restore_failed', `There is no usable template in ${dir}; save one again.`, { cause });
  }
}
