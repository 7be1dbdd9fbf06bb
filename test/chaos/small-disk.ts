// A disk of its own for a trial, small enough to be filled: in a mount namespace, so as root. The state of
// the installation is on it; what people have, and what agents write elsewhere, is not.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Its mount point, in a process that runs on it. */
export const smallDisk = (): string | undefined => process.env['CHAOS_DISK'];

/** Runs this program again, with the same arguments, with such a disk. Answers its exit code. */
export async function againOnSmallDisk(mib: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-chaos-'));
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  // Open to the users that run the database and the machines.
  chmodSync(folder, 0o711);
  try {
    const mount = `mount -t tmpfs -o size=${mib}m,mode=711 tmpfs "$CHAOS_DISK" && exec "$@"`;
    const child = spawn('unshare', ['-m', 'sh', '-c', mount, 'sh', process.execPath, ...process.execArgv, ...process.argv.slice(1)], {
      stdio: 'inherit',
      env: { ...process.env, CHAOS_DISK: disk },
    });
    const [code] = await once(child, 'exit');
    return typeof code === 'number' ? code : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
