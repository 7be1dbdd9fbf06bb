// One machine through its life. Operations run one after the other; kill cuts in.
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import { type Gate, within } from './deadline.ts';
import { execRequest } from './exec.ts';
import { ANSWER_MS, GuestLink } from './guest-link.ts';
import { MicroVmError } from './images/tools.ts';
import type { ExecOptions, Machine, MachineSpec, MachineState, Template } from './port.ts';
import { inherited } from './qemu/arguments.ts';
import { deviceState, endLive, launch, type Live, loadState, paths, specOf } from './qemu/live.ts';
import { endProcess } from './qemu/process.ts';
import { type Record, syncPath, writeRecord } from './qemu/record.ts';
import { releaseUid } from './qemu/uid.ts';
import type { ReadyProcesses } from './ready.ts';
import { copySparse, writeTemplate } from './template.ts';

const RESTORE_MS = 30_000;
/** For a process that only waits; one that does not answer in this time is replaced. */
const READY_MS = 2_000;

export interface MachineOptions {
  /** Bounds how many machines are restored at once. */
  wakes: Gate;
  bootMs: number;
  /** Processes that suspended machines will wake in. */
  ready: ReadyProcesses<Live>;
}

export class QemuMachine implements Machine {
  readonly spec: MachineSpec;
  readonly stopped: Promise<{ reason: string }>;
  #state: MachineState = 'stopped';
  #record: Record;
  #options: MachineOptions;
  #live: Live | undefined;
  #guest: GuestLink;
  #turn: Promise<unknown> = Promise.resolve();
  #sync: Promise<unknown> = Promise.resolve();
  /** The process before this one, until its memory is free. */
  #ending: Promise<unknown> = Promise.resolve();
  #notes: Promise<unknown> = Promise.resolve();
  /** Counts its checkpoints: a later one is not on disk because an earlier one is. */
  #checkpoints = 0;
  #killed = false;
  #stop: (reason: string) => void = () => undefined;

  constructor(dir: string, record: Record, options: MachineOptions) {
    this.spec = specOf(dir, record);
    this.#record = record;
    this.#options = options;
    this.stopped = new Promise((resolve) => (this.#stop = (reason) => resolve({ reason })));
    this.#guest = new GuestLink(record.id, (error) => void this.#violated(error));
  }

  get state(): MachineState {
    return this.#state;
  }

  // ---- how a machine starts (called by the engine, once)

  async boot(): Promise<void> {
    const { bootMs } = this.#options;
    const work = async () => {
      this.#use(await launch(this.spec.dir, this.#record));
      await this.#note({ phase: 'starting' });
      await this.#guest.greet(this.#process(), { preamble: false });
      await this.#note({ phase: 'running' });
      this.#state = 'running';
    };
    await within(bootMs, this.#alive(work()), 'boot_failed', `The guest did not answer within ${bootMs / 1000} s of its start.`).catch((error: unknown) =>
      this.#failStart(error),
    );
  }

  /** From the files a template was copied to, or from the template's own memory. */
  async restoreClone(stateFile: string, memory?: string): Promise<void> {
    const work = () => within(RESTORE_MS, this.#alive(this.#restore(stateFile, undefined, memory)), 'restore_failed', 'The clone did not answer in time.');
    await this.#options.wakes.run(work).catch((error: unknown) => this.#failStart(error));
  }

  adoptSuspended(): void {
    this.#state = 'suspended';
  }

  async adoptRunning(live: Live, running: boolean): Promise<void> {
    this.#use(live);
    this.#state = running ? 'running' : 'paused';
    if (running)
      await within(ANSWER_MS, this.#guest.greet(live, { preamble: true }), 'guest_unresponsive', 'The adopted guest did not answer.').catch((error: unknown) =>
        this.#failStart(error),
      );
  }

  // ---- the port

  async connect(service: string): Promise<Duplex> {
    this.#require('running');
    return this.#guest.open(service);
  }

  serve(service: string, handler: (stream: Duplex) => void): void {
    this.#guest.serve(service, handler);
  }

  async exec(command: string, args: string[], options: ExecOptions = {}): Promise<number> {
    this.#require('running');
    return this.#guest.program('!exec', execRequest(command, args, options), options);
  }

  async attach(name: string, options: Omit<ExecOptions, 'user' | 'name' | 'cwd' | 'env'> = {}): Promise<number> {
    this.#require('running');
    return this.#guest.program('!attach', Buffer.from(`${name}\0`), options);
  }

  pause({ durable = false }: { durable?: boolean } = {}): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#state === 'paused') return;
      this.#require('running');
      await this.#checkpoint(this.#process());
      if (durable) this.#syncLater();
    });
  }

  suspend(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#state === 'suspended') return;
      this.#require('running', 'paused');
      this.#requireOwnMemory();
      const live = this.#process();
      if (!this.#checkpointed) await this.#checkpoint(live);
      await this.#end(live);
      this.#state = 'suspended';
      if (!this.#record.durable) this.#syncLater();
      this.#options.ready.offer(this, () => this.#startReady());
    });
  }

  wake(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#state === 'running') return;
      this.#require('paused', 'suspended');
      if (this.#state === 'paused' && this.#checkpointed) await this.#leaveFilesIfLost(this.#process());
      if (this.#state === 'suspended') return this.#options.wakes.run(() => this.#wakeSuspended());
      const live = this.#process();
      await this.#leaveCheckpoint();
      await within(ANSWER_MS, this.#alive(this.#guest.goOn(live, this.#onSilence(live))), 'guest_unresponsive', 'The paused guest did not answer.').catch(
        (error: unknown) => this.#failStart(error),
      );
      this.#state = 'running';
    });
  }

  setClock(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#state === 'running') await this.#alive(this.#guest.setClock());
    });
  }

  saveTemplate(dir: string): Promise<Template> {
    return this.#inTurn(async () => {
      this.#require('running');
      this.#requireOwnMemory();
      const live = this.#process();
      await this.#alive(this.#guest.freeze());
      const partial = `${dir}.partial`;
      try {
        await this.#alive(this.#guest.halt(live));
        await rm(partial, { recursive: true, force: true });
        await mkdir(partial, { recursive: true, mode: 0o700 });
        await writeFile(paths(partial).state, await this.#saved(live), { mode: 0o600 });
        await copySparse(paths(this.spec.dir).memory, paths(partial).memory);
        await writeTemplate(partial, this.#record);
        await rename(partial, dir);
      } finally {
        await rm(partial, { recursive: true, force: true });
        // The machine itself is now the first clone: it gets fresh randomness like any other.
        if (!this.#killed && this.#live === live)
          await within(
            2 * ANSWER_MS,
            this.#alive(this.#guest.unfreeze(live)),
            'guest_unresponsive',
            'The guest did not go on after its template was saved.',
          ).catch((error: unknown) => this.#failStart(error));
      }
      return { dir, memoryMib: this.spec.memoryMib, cpus: this.spec.cpus, disks: this.spec.disks };
    });
  }

  async setEnvironment(env: Readonly<{ [name: string]: string }>): Promise<void> {
    this.#require('running');
    await this.#alive(this.#guest.setEnvironment(env));
  }

  async programs(): Promise<number> {
    this.#require('running');
    return this.#alive(this.#guest.programs());
  }

  async terminatePrograms(): Promise<void> {
    this.#require('running');
    await this.#alive(this.#guest.terminatePrograms());
  }

  async kill(): Promise<void> {
    await this.#finish('killed');
  }

  // ---- parts

  get #checkpointed(): boolean {
    return this.#record.phase === 'suspended';
  }

  /**
   * Stops the processors and saves the devices beside the memory: from here on the files are the machine,
   * even if its process ends.
   */
  async #checkpoint(live: Live): Promise<void> {
    if (this.#state === 'running') await this.#alive(this.#guest.halt(live));
    this.#state = 'paused';
    if (this.#record.shared_memory === true) return;
    this.#checkpoints += 1;
    const { state } = paths(this.spec.dir);
    await writeFile(`${state}.partial`, await this.#saved(live), { mode: 0o600 });
    await rename(`${state}.partial`, state);
    await this.#note({ phase: 'suspended', durable: false });
  }

  /** The guest is about to run in its process: its files are no longer whole. */
  async #leaveCheckpoint(): Promise<void> {
    if (!this.#checkpointed) return;
    const checkpoint = this.#record;
    try {
      await this.#note({ phase: 'running', durable: false });
    } catch (error) {
      this.#record = checkpoint;
      throw error;
    }
    await rm(paths(this.spec.dir).state, { force: true });
  }

  /**
   * Asked before its checkpoint is given up: its end may not have been heard of yet, a killed process is
   * there for a moment more, or it hangs.
   */
  async #leaveFilesIfLost(live: Live): Promise<void> {
    try {
      await live.qmp.command('query-status');
    } catch {
      if (this.#live === live) this.#leaveFiles(live);
    }
  }

  /** The process of a paused machine was lost: what is left is what a suspended one has. */
  #leaveFiles(live: Live): void {
    this.#state = 'suspended';
    this.#ending = this.#end(live).catch(() => undefined);
  }

  async #wakeSuspended(): Promise<void> {
    await this.#ending;
    const { state } = paths(this.spec.dir);
    // On disk before the guest runs: after a power cut half-changed memory must not pass for a suspended
    // machine.
    const noted = this.#note({ phase: 'waking', durable: false });
    noted.catch(() => undefined); // awaited below, perhaps after it failed
    try {
      await within(RESTORE_MS, this.#alive(this.#restore(state, noted)), 'restore_failed', 'The suspended guest did not answer in time.');
      await rm(state, { force: true });
    } catch (error) {
      await noted.catch(() => undefined);
      if (this.#record.phase !== 'waking' || this.#killed) return this.#failStart(error);
      // The guest has not run: its files are still whole and it may be tried again.
      if (this.#live !== undefined) await this.#end(this.#live);
      await this.#note({ phase: 'suspended' });
      this.#state = 'suspended';
      throw error;
    }
  }

  async #restore(stateFile: string, before?: Promise<void>, memory?: string): Promise<void> {
    const live = (await this.#takeReady()) ?? (await launch(this.spec.dir, this.#record, stateFile, memory));
    this.#use(live);
    await loadState(live, inherited.state);
    await before;
    await this.#note({ phase: 'running' });
    await this.#guest.resumeIn(live, this.#onSilence(live));
    this.#state = 'running';
  }

  /** Noted at once: should this host die, the next one ends it. */
  async #startReady(): Promise<Live> {
    const live = await launch(this.spec.dir, this.#record, paths(this.spec.dir).state);
    try {
      await this.#note({ pid: live.process.pid, start_time: live.process.startTime });
    } catch (error) {
      await endLive(live);
      throw error;
    }
    return live;
  }

  /** The process started ahead, if it is there and answers. */
  async #takeReady(): Promise<Live | undefined> {
    const live = await this.#options.ready.take(this);
    if (live === undefined) return undefined;
    try {
      await within(READY_MS, live.qmp.command('query-status'), 'machine_gone', 'The process started ahead does not answer.');
      return live;
    } catch {
      await endLive(live);
      return undefined;
    }
  }

  #onSilence(live: Live): (error: unknown) => void {
    return (error) => void this.#died(live, error instanceof Error ? error.message : String(error));
  }

  #saved(live: Live): Promise<Buffer> {
    return within(RESTORE_MS, deviceState(this.spec.dir, live, this.#record.uid), 'machine_gone', 'QEMU did not save its state in time.');
  }

  #use(live: Live): void {
    this.#live = live;
    this.#record = { ...this.#record, pid: live.process.pid, start_time: live.process.startTime };
    void live.qmp.closed.then(() => this.#died(live, `QEMU ended. ${live.words()}`.trim()));
    live.channel.once('close', () => void this.#died(live, `QEMU closed the channel. ${live.words()}`.trim()));
    if (this.#killed) void endProcess(live.process);
  }

  /** On purpose: what it still has to say is read before its socket closes. */
  async #end(live: Live): Promise<void> {
    this.#live = undefined;
    await endLive(live);
  }

  async #died(live: Live | undefined, reason: string): Promise<void> {
    // While files are being loaded they stay whole whatever happens to the process; the wake itself reports
    // the failure.
    if (live === undefined || this.#live !== live || this.#record.phase === 'waking') return;
    if (this.#checkpointed) return this.#leaveFiles(live);
    await this.#finish(reason);
  }

  async #violated(error: Error): Promise<void> {
    if (this.#live !== undefined) await this.#finish(`the guest broke the channel's protocol: ${error.message}`);
  }

  async #finish(reason: string): Promise<void> {
    const first = !this.#killed;
    this.#killed = true;
    const live = this.#live;
    this.#live = undefined;
    this.#guest.lose(`the machine stopped: ${reason}`);
    if (live !== undefined) {
      await endProcess(live.process);
      live.channel.destroy();
      live.qmp.close();
    }
    if (!first) {
      await this.stopped;
      return;
    }
    this.#state = 'stopped';
    await this.#ending;
    await this.#options.ready.drop(this);
    await rm(paths(this.spec.dir).vm, { recursive: true, force: true });
    await this.#sync;
    await releaseUid(this.#record.uid);
    this.#stop(reason);
  }

  async #failStart(error: unknown): Promise<never> {
    const words = this.#live?.words() ?? '';
    await this.#finish(error instanceof Error ? error.message : String(error));
    if (error instanceof MicroVmError && words !== '' && !error.message.includes(words))
      throw new MicroVmError(error.code, `${error.message} ${words}`, { cause: error });
    throw error;
  }

  #syncLater(): void {
    const { memory, state } = paths(this.spec.dir);
    const checkpoint = this.#checkpoints;
    this.#sync = Promise.all([syncPath(memory), syncPath(state)])
      .then(() => (this.#checkpointed && this.#checkpoints === checkpoint && !this.#killed ? this.#note({ durable: true }) : undefined))
      .catch(() => undefined); // woken or deleted meanwhile; then nothing needs to survive a power cut
  }

  async #note(change: Partial<Record>): Promise<void> {
    const before = this.#record;
    const record = { ...before, ...change };
    this.#record = record;
    // One after the other: the last state noted is the last state written.
    const written = this.#notes.then(() => writeRecord(this.spec.dir, record, before));
    this.#notes = written.catch(() => undefined);
    await written;
  }

  /** Fails at once when the machine stops meanwhile: its guest will answer nothing any more. */
  async #alive<T>(work: Promise<T>): Promise<T> {
    work.catch(() => undefined);
    const ended = this.stopped.then(({ reason }): never => {
      throw new MicroVmError('machine_gone', `Machine ${this.spec.id} stopped: ${reason}`);
    });
    return Promise.race([work, ended]);
  }

  #require(...states: MachineState[]): void {
    if (!states.includes(this.#state) || this.#killed)
      throw new MicroVmError(
        'not_running',
        `Machine ${this.spec.id} is ${this.#state}; this needs it ${states.join(' or ')}${states.includes('running') ? ': wake it first' : ''}.`,
      );
  }

  #requireOwnMemory(): void {
    if (this.#record.shared_memory === true)
      throw new MicroVmError('not_running', `Machine ${this.spec.id} shares its template's memory and can be neither suspended nor saved.`);
  }

  #process(): Live {
    if (this.#live !== undefined) return this.#live;
    throw new MicroVmError('machine_gone', `Machine ${this.spec.id} has no process any more.`);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }
}
