// Starts QEMU as a separate user, so that it continues when this process ends, with only the file descriptors
// that it inherits.
import { spawn } from 'node:child_process';
import { constants, type FileHandle, open, stat } from 'node:fs/promises';
import { MicroVmError } from '../images/tools.ts';
import type { Accelerator } from './arguments.ts';
import { inherited } from './arguments.ts';
import { type ProcessId, processId } from './process.ts';

export interface SpawnInput {
  args: string[];
  /** Working folder: its sockets are relative to it, so no parent folder need be open to its user. */
  cwd: string;
  uid: number | undefined;
  accelerator: Accelerator;
  files: Record<'kernel' | 'initrd' | 'base' | 'memory', string> & Partial<Record<'guest' | 'layer' | 'state' | 'swap' | 'data', string | undefined>>;
}

export interface Qemu extends ProcessId {
  /** Last words on standard error, bounded. */
  words(): string;
  /** Resolves when this child ended; only the process that started it learns so. */
  exited: Promise<void>;
}

export async function spawnQemu(input: SpawnInput): Promise<Qemu> {
  const handles: FileHandle[] = [];
  const inherit: (number | 'ignore' | 'pipe')[] = ['ignore', 'ignore', 'pipe'];
  try {
    const opened = Object.entries(inherited).map(async ([name, fd]) => {
      const path = Object.entries(input.files).find(([key]) => key === name)?.[1];
      if (path === undefined) return { fd, handle: undefined };
      const handle = await open(path, name === 'memory' || name === 'swap' || name === 'data' ? constants.O_RDWR : constants.O_RDONLY);
      handles.push(handle);
      return { fd, handle };
    });
    await Promise.allSettled(opened); // all of them, so that none is left open when one fails
    for (const { fd, handle } of await Promise.all(opened)) inherit[fd] = handle?.fd ?? 'ignore';
    // An unprivileged user reaches /dev/kvm only through its group.
    const gid = input.accelerator === 'kvm' ? (await stat('/dev/kvm')).gid : input.uid;
    const child = spawn('qemu-system-x86_64', input.args, {
      cwd: input.cwd,
      detached: true,
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      stdio: inherit,
      ...(input.uid === undefined || gid === undefined ? {} : { uid: input.uid, gid }),
    });
    let words = '';
    child.stderr?.on('data', (chunk: Buffer) => (words = (words + chunk.toString()).slice(-2000)));
    child.stderr?.on('error', () => undefined);
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (cause) => reject(new MicroVmError('boot_failed', `QEMU could not be started: ${cause.message}`, { cause })));
    });
    child.unref();
    unreference(child.stderr);
    const { pid } = child;
    const id = pid === undefined ? undefined : await processId(pid);
    if (id === undefined) {
      await exited;
      throw new MicroVmError('boot_failed', `QEMU ended at once: ${words.trim()}`);
    }
    return { ...id, words: () => words.trim(), exited };
  } finally {
    await Promise.all(handles.map((handle) => handle.close()));
  }
}

// A child's pipe is a socket, but typed as a plain stream; it must not keep this process alive.
function unreference(stream: object | null): void {
  if (stream !== null && 'unref' in stream && typeof stream.unref === 'function') stream.unref();
}
