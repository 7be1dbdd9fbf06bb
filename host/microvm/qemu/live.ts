// A running QEMU process and the two sockets to it.
import { lchown, open, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { within } from '../deadline.ts';
import { MicroVmError } from '../images/tools.ts';
import type { MachineSpec } from '../port.ts';
import { qemuArguments } from './arguments.ts';
import { endProcess, isAlive, type ProcessId } from './process.ts';
import { Qmp } from './qmp.ts';
import type { Record } from './record.ts';
import { spawnQemu } from './spawn.ts';

export interface Live {
  process: ProcessId;
  qmp: Qmp;
  channel: Socket;
  /** QEMU's last words, as far as this process saw them. */
  words(): string;
}

const STATE_LIMIT = 64 << 20;

/** Paths of a machine's folder. QEMU may write only below `vm`, and to `memory`; the rest is only ours. */
export const paths = (dir: string) => ({ vm: join(dir, 'vm'), memory: join(dir, 'memory'), state: join(dir, 'state'), swap: join(dir, 'swap') });

export function specOf(dir: string, record: Record): MachineSpec {
  const disks = record.layer === undefined ? { base: record.base } : { base: record.base, layer: record.layer };
  const swap = record.swap_mib === undefined ? {} : { swapMib: record.swap_mib };
  const data = record.data === undefined ? {} : { dataDisk: record.data };
  return { id: record.id, dir, disks, memoryMib: record.memory_mib, cpus: record.cpus, scratchMib: record.scratch_mib, ...swap, ...data };
}

/** `memory`: another file than the machine's own. */
export async function launch(dir: string, record: Record, state?: string, memory = paths(dir).memory): Promise<Live> {
  const { vm } = paths(dir);
  // An earlier process may still be closing its files: its sockets must not be taken for the next one's.
  await Promise.all(['channel.sock', 'control.sock'].map((name) => rm(join(vm, name), { force: true })));
  const facts = { accelerator: record.accelerator, clockRateKhz: record.clock_rate_khz, debugConsole: record.debug_console };
  const qemu = await spawnQemu({
    args: qemuArguments(specOf(dir, record), record.append, facts, {
      incoming: state !== undefined,
      guestDisk: record.guest !== undefined,
      sharedMemory: record.shared_memory === true,
    }),
    cwd: vm,
    uid: record.uid,
    accelerator: record.accelerator,
    files: {
      kernel: record.kernel,
      initrd: record.initrd,
      base: record.base,
      memory,
      guest: record.guest,
      layer: record.layer,
      state,
      swap: record.swap_mib === undefined ? undefined : paths(dir).swap,
      data: record.data,
    },
  });
  return reach(dir, qemu, qemu.words).catch(async (error: unknown) => {
    await endProcess(qemu);
    throw error;
  });
}

/** Ends the process; what it still has to say is read before its socket closes. */
export async function endLive({ channel, process, qmp }: Live): Promise<void> {
  const drained = channel.destroyed ? Promise.resolve() : new Promise<void>((resolve) => channel.once('close', () => resolve()));
  await endProcess(process);
  await drained;
  qmp.close();
}

/** Connects to a process that runs already. */
export async function reach(dir: string, process: ProcessId, words: () => string = () => ''): Promise<Live> {
  const { vm } = paths(dir);
  const control = await connectIn(vm, 'control.sock', process, words); // QEMU makes it last, so the other is there too
  const channel = await connectIn(vm, 'channel.sock', process, words);
  const qmp = new Qmp(control);
  await within(10_000, qmp.start(), 'boot_failed', 'QEMU did not answer on its control socket within 10 s.');
  return { process: { pid: process.pid, startTime: process.startTime }, qmp, channel, words };
}

// Through the folder's descriptor: a socket's path may have 107 bytes only, and a state folder may be deep.
async function throughFolder<T>(folder: string, work: (path: (name: string) => string) => Promise<T>): Promise<T> {
  const handle = await open(folder);
  try {
    return await work((name) => `/proc/self/fd/${handle.fd}/${name}`);
  } finally {
    await handle.close();
  }
}

function connectIn(folder: string, name: string, process: ProcessId, words: () => string): Promise<Socket> {
  return throughFolder(folder, async (path) => {
    for (let attempt = 1; ; attempt++) {
      const socket = await new Promise<Socket | undefined>((resolve) => {
        const attempt = connect(path(name));
        attempt.once('connect', () => resolve(attempt));
        attempt.once('error', () => resolve(undefined));
      });
      if (socket !== undefined) return socket;
      if (attempt % 8 === 0 && !(await isAlive(process))) throw new MicroVmError('boot_failed', `QEMU ended before it could be reached. ${words()}`);
      await delay(2);
    }
  });
}

/**
 * Device state of a stopped machine (its memory is in its file already), as QEMU sends it to a socket in its
 * folder.
 */
export async function deviceState(dir: string, live: Live, uid: number | undefined): Promise<Buffer> {
  return throughFolder(paths(dir).vm, async (path) => {
    await rm(path('state.sock'), { force: true });
    const chunks: Buffer[] = [];
    let length = 0;
    const server = createServer();
    const received = new Promise<Buffer>((resolve, reject) => {
      server.once('error', reject);
      server.once('connection', (socket) => {
        socket.on('data', (chunk) => {
          length += chunk.length;
          if (length > STATE_LIMIT) socket.destroy(new Error('too much device state'));
          else chunks.push(chunk);
        });
        socket.once('error', reject);
        socket.once('end', () => resolve(Buffer.concat(chunks)));
      });
    });
    received.catch(() => undefined); // awaited below, after QEMU has answered
    await new Promise<void>((resolve) => server.listen(path('state.sock'), resolve));
    try {
      if (uid !== undefined) await lchown(path('state.sock'), uid, uid);
      await ignoreSharedMemory(live);
      const end = live.qmp.migrationEnd();
      end.catch(() => undefined);
      await live.qmp.command('migrate', { uri: 'unix:state.sock' });
      const status = await end;
      if (status !== 'completed') throw new MicroVmError('qemu_refused', `QEMU could not save the machine's state: ${status}.`);
      return await received;
    } finally {
      server.close();
    }
  });
}

/** Reads the device state that the process inherited; memory is mapped already. */
export async function loadState(live: Live, stateFd: number): Promise<void> {
  await ignoreSharedMemory(live);
  const end = live.qmp.migrationEnd();
  end.catch(() => undefined);
  await live.qmp.command('migrate-incoming', { uri: `fd:${stateFd}` });
  const status = await end;
  if (status !== 'completed') throw new MicroVmError('restore_failed', `QEMU could not load the machine's state: ${status}. ${live.words()}`);
}

async function ignoreSharedMemory(live: Live): Promise<void> {
  const capabilities = ['x-ignore-shared', 'events'].map((capability) => ({ capability, state: true }));
  await live.qmp.command('migrate-set-capabilities', { capabilities });
}
