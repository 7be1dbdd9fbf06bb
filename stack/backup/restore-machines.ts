// Machines whose memory comes with a backup: put where the host takes them back as if it had suspended them.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, link, mkdir, readdir, realpath, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { markName, readRecord, type Record as MachineRecord, writeRecord } from '#host/microvm/qemu/record.ts';
import { claimUid, give } from '#host/microvm/qemu/uid.ts';
import { paths } from '#host/microvm/qemu/live.ts';
import { readContent } from './contents.ts';
import { writeContent } from './files.ts';
import { restoreFolder } from './folder.ts';
import { machineFacts } from './machines.ts';
import type { Body } from './manifest.ts';
import type { Target } from './target.ts';

const run = promisify(execFile);

/**
 * A sentence, where the memory of a machine cannot continue here. Emulated processors are the same
 * everywhere.
 */
async function whyNot({ machine }: Body, { accelerator }: MachineRecord): Promise<string | undefined> {
  const here = await machineFacts();
  if (here.qemu !== machine.qemu) return `it was saved by ${machine.qemu}, and here is ${here.qemu}`;
  if (accelerator === 'tcg') return undefined;
  if (!existsSync('/dev/kvm')) return 'it was saved with KVM, which this machine lacks';
  return here.cpu === machine.cpu ? undefined : `it was saved on ${machine.cpu}, and this machine is ${here.cpu}`;
}

interface Places {
  draft: string;
  stateDir: string;
  cacheDir: string;
}

/** Resolves with sentences on those that cannot continue here, which are left out. */
export async function restoreMachines(target: Target, body: Body, { draft, stateDir, cacheDir }: Places): Promise<string[]> {
  const leftOut: string[] = [];
  const images = join(draft, 'images');
  for (const one of body.memory) {
    const folder = join(draft, 'vm', one.name);
    await restoreFolder(readContent(target, one), folder);
    await chmod(join(draft, 'vm'), 0o711);
    await chmod(folder, 0o711);
    const dir = join(folder, 'machine');
    const record = await readRecord(dir);
    if (record === undefined) throw new Error(`The machine of ${one.name} has no record in this backup.`);
    const reason = await whyNot(body, record);
    if (reason !== undefined) {
      leftOut.push(`Machine ${one.name} is left out: ${reason}. Its runs end with host_lost, and can be run again.`);
      await rm(folder, { recursive: true });
      continue;
    }
    const moved = new Map<string, string>();
    for (const path of one.images) {
      const here = path.replace(body.state_dir, stateDir).replace(body.cache_dir, cacheDir);
      const stored = body.images.find(({ name }) => name === path);
      const isLayer = path.startsWith(join(body.state_dir, 'image/'));
      const same = !isLayer && stored !== undefined && (await stat(here).catch(() => undefined))?.size === stored.bytes;
      if (isLayer || same || stored === undefined) moved.set(path, here);
      else {
        // Beside the machine, as only set-up makes what is in a cache; once for all machines that have it.
        const copy = join(images, stored.sha256);
        if (!existsSync(copy)) await writeContent(readContent(target, stored), copy);
        await mkdir(join(dir, 'images'), { recursive: true });
        await link(copy, join(dir, 'images', basename(path)));
        moved.set(path, join(stateDir, 'vm', one.name, 'machine', 'images', basename(path)));
      }
    }
    const { pid: _pid, start_time: _start, uid: _uid, ...rest } = record;
    await rm(join(dir, markName), { force: true });
    await writeRecord(dir, { ...withImages(rest, moved), phase: 'suspended', durable: true });
    await mkdir(paths(dir).vm, { mode: 0o700 });
    await run('fallocate', ['--dig-holes', paths(dir).memory]).catch(() => undefined);
  }
  return leftOut;
}

function withImages(record: MachineRecord, moved: ReadonlyMap<string, string>): MachineRecord {
  const at = (path: string): string => moved.get(path) ?? path;
  return {
    ...record,
    base: at(record.base),
    kernel: at(record.kernel),
    initrd: at(record.initrd),
    ...(record.guest !== undefined && { guest: at(record.guest) }),
    ...(record.layer !== undefined && { layer: at(record.layer) }),
  };
}

/** Once they are in their place: a user for each, which names that place. */
export async function settleMachines(vmDir: string): Promise<void> {
  for (const name of await readdir(vmDir).catch(() => [])) {
    const dir = await realpath(join(vmDir, name, 'machine'));
    const record = await readRecord(dir);
    if (record === undefined || record.uid !== undefined) continue;
    const uid = await claimUid(dir);
    for (const path of [paths(dir).vm, paths(dir).memory, paths(dir).swap]) if (existsSync(path)) await give(path, uid);
    if (uid !== undefined) await writeRecord(dir, { ...record, uid }, record);
  }
}
