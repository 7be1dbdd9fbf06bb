// Running the host's tools, with an error that carries their last words.
import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { CodesAmong } from '#contract/errors/index.ts';

/** Installed with `apt-get install`: what images and machines are made with. */
export const debianPackages = ['qemu-system-x86', 'mmdebstrap', 'e2fsprogs', 'erofs-utils', 'gcc', 'libc6-dev', 'xz-utils', 'uidmap'];

const commandOf: Record<string, string> = {
  'qemu-system-x86': 'qemu-system-x86_64',
  mmdebstrap: 'mmdebstrap',
  e2fsprogs: 'mke2fs',
  'erofs-utils': 'mkfs.erofs',
  gcc: 'gcc',
  'xz-utils': 'xz',
  uidmap: 'newuidmap',
};

export type MicroVmErrorCode = CodesAmong<
  | 'packages_missing'
  | 'image_failed'
  | 'disk_full'
  | 'boot_failed'
  | 'restore_failed'
  | 'clone_not_reseeded'
  | 'not_running'
  | 'guest_unresponsive'
  | 'machine_gone'
  | 'qemu_refused'
  | 'uids_exhausted'
  | 'unsuitable_host'
>;

/** Stable code; the message says what to do next. */
export class MicroVmError extends Error {
  readonly code: MicroVmErrorCode;
  constructor(code: MicroVmErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MicroVmError';
    this.code = code;
  }
}

/** Of a template: it cannot be used, also not by others. */
export function isUnusable(error: unknown): boolean {
  return error instanceof MicroVmError && error.code === 'restore_failed';
}

export function findCommand(command: string, path = process.env['PATH'] ?? ''): string | undefined {
  for (const folder of [...path.split(delimiter), '/usr/sbin', '/sbin']) {
    const file = join(folder, command);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      continue;
    }
  }
  return undefined;
}

/** Throws one error that names every missing Debian package. */
export function checkPackages(): void {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new MicroVmError('unsuitable_host', `microVMs need Linux on x86-64; this is ${process.platform} on ${process.arch}.`);
  const missing = debianPackages.filter((name) => {
    if (name === 'uidmap' && process.getuid?.() === 0) return false; // only ordinary users need a user namespace
    const command = commandOf[name];
    if (command !== undefined) return findCommand(command) === undefined;
    return !['/usr/lib/x86_64-linux-gnu/libc.a', '/usr/lib/libc.a', '/usr/lib64/libc.a'].some((file) => existsSync(file));
  });
  if (missing.length > 0) throw new MicroVmError('packages_missing', `Debian packages are missing. Run: sudo apt-get install -y ${missing.join(' ')}`);
}

/** Answers standard output; throws `image_failed` with the last lines of the error output. */
export function run(
  command: string,
  args: string[],
  options: { cwd?: string; env?: Record<string, string>; onLine?: (line: string) => void } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: options.cwd, env: { ...process.env, ...options.env } });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => {
      err = (err + chunk.toString()).slice(-4000);
      for (const line of chunk.toString().split('\n')) if (line.trim() !== '') options.onLine?.(line.trim());
    });
    child.on('error', (cause) => reject(new MicroVmError('image_failed', `${command} could not be started: ${cause.message}`, { cause })));
    child.on('close', (code) => {
      if (code === 0) resolve(out);
      else if (/No space left on device/.test(err))
        reject(new MicroVmError('disk_full', `The disk is full: ${command} could not write. Free some space and try again.`));
      else reject(new MicroVmError('image_failed', `${command} ${args[0] ?? ''} ended with ${code}: ${err.trim().split('\n').slice(-6).join(' | ')}`));
    });
  });
}
