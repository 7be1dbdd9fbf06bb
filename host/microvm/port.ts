// The microVM engine's port: what runtime, sandbox and dev box need of a virtual machine, and nothing of how
// it is made.
import type { Duplex } from 'node:stream';

/**
 * Read-only disks, stacked: a base root file system and at most one layer over it. Paths of erofs images on
 * this host.
 */
interface DiskSet {
  base: string;
  layer?: string;
}

export interface MachineSpec {
  /** Unique on this host; also names the guest. */
  id: string;
  /**
   * Private folder of this machine (0700): spec, pid, sockets, memory and device-state files, console log.
   */
  dir: string;
  disks: DiskSet;
  /** Guest memory, MiB. */
  memoryMib: number;
  /** Virtual CPUs, 1 or more. */
  cpus: number;
  /** Ceiling of the writable overlay (tmpfs), MiB. */
  scratchMib: number;
  /**
   * An empty disk of its own for memory that does not fit, MiB; a sparse file in `dir`, `swap` in the guest
   * by its serial. Default: none.
   */
  swapMib?: number;
  /**
   * A file of this host that the machine has as a disk of its own, `data` in the guest by its serial: its
   * data stay when the machine ends.
   */
  dataDisk?: string;
}

/**
 * running and paused hold memory; suspended holds a memory file and no process; stopped holds nothing. paused
 * becomes suspended where its process is lost.
 */
export type MachineState = 'running' | 'paused' | 'suspended' | 'stopped';

export interface ExecOptions {
  /** Whom the program runs as in the guest: 'agent' (uid 1000, the default) or 'root' (of the guest only). */
  user?: 'agent' | 'root';
  /**
   * A named program survives the loss of its stream (this process killed, the machine cloned); `attach(name)`
   * reconnects to it. Unnamed ones end.
   */
  name?: string;
  cwd?: string;
  env?: Record<string, string>;
  /** Bytes written to standard input, then end of file. */
  stdin?: AsyncIterable<Uint8Array>;
  /**
   * Called with each piece of output as it arrives. No more is read of the guest until a promise that it
   * returns is settled.
   */
  onOutput?: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => unknown;
  /** Ends the program, its children included, when aborted. */
  signal?: AbortSignal;
}

export interface Machine {
  readonly spec: MachineSpec;
  readonly state: MachineState;
  /**
   * Opens a byte stream to a service of the guest: a program that listens on /run/svc/<service>.sock there
   * (for an agent: 'http'). Resolves at once; where no program listens the stream fails with code
   * ECONNREFUSED. Wakes nothing: call wake() before.
   */
  connect(service: string): Promise<Duplex>;
  /**
   * Handles streams that the guest opens towards the host (for an agent: 'egress'): programs connect to
   * /run/svc/host/<service>.sock. Call it again after adopt() and clone(); the socket in the guest stays
   * across both.
   */
  serve(service: string, handler: (stream: Duplex) => void): void;
  /**
   * Runs one program in the guest through its first process; resolves with the exit code (128 + signal when
   * killed).
   */
  exec(command: string, args: string[], options?: ExecOptions): Promise<number>;
  /**
   * Takes up a named program again after adopt() or clone(): its output since, then its exit code. ENOENT in
   * the guest rejects.
   */
  attach(name: string, options?: Omit<ExecOptions, 'user' | 'name' | 'cwd' | 'env'>): Promise<number>;
  /**
   * Stops the virtual CPUs; memory stays. The device state goes to a file in `dir`: a paused machine whose
   * process is lost is a suspended one. durable: its files go to the disk now, so that it survives a power
   * cut as well. One that shares its template's memory has no files.
   */
  pause(options?: { durable?: boolean }): Promise<void>;
  /**
   * Writes memory and device state to files in `dir` and ends the process. Open streams live on in this
   * object.
   */
  suspend(): Promise<void>;
  /**
   * From paused or suspended to running. The guest has clock and fresh entropy before any queued byte reaches
   * it.
   */
  wake(): Promise<void>;
  /**
   * Sets the guest's clock by the host's: awake for days it would go its own way. Nothing where it does not
   * run; it is set when it wakes.
   */
  setClock(): Promise<void>;
  /**
   * Saves the running machine as a template that clones start from; the machine itself continues (as the
   * first clone if need be).
   */
  saveTemplate(dir: string): Promise<Template>;
  /**
   * Variables of every program from now on, also after adopt(); kept only in the guest. At most
   * ENVIRONMENT_BYTES as `NAME=value\0`.
   */
  setEnvironment(env: Readonly<Record<string, string>>): Promise<void>;
  /** How many processes its programs have, those in the background included. */
  programs(): Promise<number>;
  /** Asks every program to end (SIGTERM). */
  terminatePrograms(): Promise<void>;
  /** Ends the process and removes its sockets; idempotent. The folder is the caller's to delete. */
  kill(): Promise<void>;
  /**
   * Resolves when the machine is stopped for whatever reason, with the reason (never rejects). Suspending is
   * not stopping.
   */
  readonly stopped: Promise<{ reason: string }>;
}

export const ENVIRONMENT_BYTES = 30 * 1024;

/**
 * own: a copy of the template's memory in the machine's folder; the machine can be suspended. shared: the
 * template's memory mapped copy-on-write, started in a fraction of the time; nothing of it reaches a disk,
 * and it cannot be suspended or saved.
 */
export type CloneMemory = 'own' | 'shared';

export interface Template {
  dir: string;
  memoryMib: number;
  cpus: number;
  disks: DiskSet;
}

export interface MicroVmEngine {
  /**
   * Names all that a template must share with the machine it is used on: images, QEMU, accelerator,
   * processor.
   */
  platform(): Promise<string>;
  /** 'kvm' or 'tcg', decided once by a trial boot with a deadline. */
  accelerator(): Promise<'kvm' | 'tcg'>;
  /** Boots from disk; resolves when the guest's first process answers. */
  boot(spec: MachineSpec): Promise<Machine>;
  /**
   * Starts a machine from a template; the guest gets clock, entropy and a clone nonce before user code
   * continues.
   */
  clone(template: Template, spec: Omit<MachineSpec, 'disks' | 'memoryMib' | 'cpus' | 'swapMib'> & { memory?: CloneMemory }): Promise<Machine>;
  /** Holds a template's memory for clones that share it, ahead of the first; answers when it does. */
  hold(template: Template): Promise<void>;
  /** Frees what is held for clones of that template; machines that run keep their own. */
  release(template: Template): void;
  /**
   * Takes back a machine by its folder after a restart of this process or host: running, paused or suspended;
   * undefined if it is gone.
   */
  adopt(dir: string): Promise<Machine | undefined>;
  /**
   * Ends the processes that wait for suspended machines to wake, and starts none after that: nothing of this
   * engine is left behind.
   */
  endReady(): Promise<void>;
}
