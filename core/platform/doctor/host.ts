// The machines of agents, where files are kept, and the disk of this process.
import { randomUUID } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Finding } from '#contract/platform/doctor.ts';
import { lacksRoom } from '#drivers/room.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { reasonOf, reporter } from './finding.ts';

const host = reporter('host');
const storage = reporter('storage');
const disk = reporter('disk');

const LITTLE_BYTES = 2 * 2 ** 30;
const FEW_INODES = 0.02;

export async function lookAtHost({ drivers: { runtime } }: Ctx): Promise<Finding[]> {
  const current = await runtime.current().catch(reasonOf);
  if (typeof current === 'string')
    return [host.problem(`The host of agents’ machines does not answer: ${current}.`, 'Start it: npm run up. Why it ended: npm run logs host.')];
  const instances = await runtime.instances();
  const failed = instances.filter(({ tier }) => tier === 'failed').map(({ agent }) => agent);
  return [
    current.accelerator === 'tcg'
      ? host.warning(
          'There is no KVM: agents run in emulated machines, which are slow and no security boundary.',
          'Use a machine with /dev/kvm, or serve only people whom you trust: SVC_REQUIRE_KVM=true refuses others.',
        )
      : host.ok(`The host answers, with ${instances.length} agents’ machines.`),
    ...(failed.length > 0
      ? [host.warning(`The machines of ${failed.join(', ')} could not be started again.`, 'Read svc logs of the agent; then svc redeploy, or svc rollback.')]
      : []),
  ];
}

/** Writes, reads and deletes a small object. */
export async function lookAtStorage({ drivers }: Ctx): Promise<Finding[]> {
  const wanted = randomUUID();
  const key = `doctor/${wanted}`;
  try {
    await drivers.storage.put(key, Readable.from([Buffer.from(wanted)]));
    const got = await text(await drivers.storage.get(key));
    await drivers.storage.delete(key);
    return got === wanted
      ? [storage.ok('Files can be written, read and deleted.')]
      : [storage.problem('The storage of files gave back something else than was written.', 'Look at the server behind STORAGE_URL.')];
  } catch (error) {
    return [
      storage.problem(
        `The storage of files does not work: ${reasonOf(error)}.`,
        'Check STORAGE_URL, S3_ENDPOINT and the S3 keys, and that the bucket exists; without them, that the state folder is writable.',
      ),
    ];
  }
}

export async function lookAtDisk({ drivers }: Ctx): Promise<Finding[]> {
  const folder = await drivers.scratch();
  const full = lacksRoom(folder);
  if (full !== undefined)
    return [disk.problem(full, 'What takes most: du -xh --max-depth=2 of the state folder. Snapshots of sleeping agents: SVC_MEMORY_FILES_MIB.')];
  const { bavail, bsize, files, ffree } = await statfs(folder);
  const free = bavail * bsize;
  if (files > 0 && ffree < files * FEW_INODES)
    return [
      disk.problem(
        `The disk of ${folder} has ${ffree} of ${files} inodes left: no new files can be made, whatever room it has.`,
        'Delete small files there, or move SVC_STATE_DIR to a larger disk.',
      ),
    ];
  return free < LITTLE_BYTES
    ? [disk.warning(`The disk of ${folder} has ${(free / 2 ** 30).toFixed(1)} GiB left.`, 'Free some, or move SVC_STATE_DIR to a larger disk.')]
    : [disk.ok(`The disk of ${folder} has ${(free / 2 ** 30).toFixed(1)} GiB left.`)];
}
