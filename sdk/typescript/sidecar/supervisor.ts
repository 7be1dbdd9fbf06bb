// Keeps a worker there: starts it, connects, starts the agent in it, and does all that again after it died.
// Calls wait meanwhile.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../authoring/context.ts';
import { connectWorker, type WorkerAddress } from './connect.ts';
import { Moved, WorkerFailed } from './errors.ts';
import { Holdup } from './holdup.ts';
import { Restarter, pause } from './restarter.ts';
import { type Reloaded, WorkerLink } from './link.ts';
import { errorFields } from '../runtime/log.ts';
import { startProcess, type WorkerCommand, type WorkerProcess } from './process.ts';
import { SharedProcess } from './shared.ts';
import { Watch } from './watch.ts';

export type WorkerSource = { url: string } | WorkerCommand;

export interface SupervisorParts {
  worker: WorkerSource;
  /** A process that has loaded this agent already; the next one is started as `worker` says. */
  joins?: SharedProcess | undefined;
  /** What its hello must name. */
  skills: readonly string[];
  log: Log;
  config: Record<string, unknown>;
  secrets: () => Readonly<Record<string, string>>;
}

/** A large framework takes minutes to load under emulation. */
const LOADED_WITHIN_MS = 600_000;
/** So often the log says that it still loads. */
const SAY_EVERY_MS = 30_000;
export const END_GRACE_MS = 5_000;
/**
 * Workers that are held up and keep their runs, beside the one that takes calls: each has the agent in memory
 * once more.
 */
const MAX_ASIDE = 2;

export class Supervisor {
  readonly #parts: SupervisorParts;
  readonly #kept: Restarter<WorkerLink>;
  #process: SharedProcess | undefined;
  #joined = false;
  /** Whether startup(ctx) is to run in each new worker: the agent's first call asked for it. */
  #wanted = false;
  #startedIn: WorkerLink | undefined;
  #loadedInMs = 0;
  /** Workers that stand aside, with their ends. */
  readonly #aside = new Map<WorkerLink, Promise<void>>();
  readonly #starts = new WeakMap<WorkerLink, Promise<void>>();

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
    this.#kept = new Restarter({
      name: 'worker',
      make: () => this.#connect(),
      lost: (link) => link.closed,
      clear: () => this.#leave(),
      log: parts.log,
    });
  }

  /** The first worker, so that what is wrong with it is known at once. @throws WorkerFailed */
  async open(): Promise<void> {
    try {
      await this.#kept.open();
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  /**
   * Runs startup(ctx) in the worker, and from now on in each that follows. @throws AgentNotReady, WorkerLost
   */
  async start(): Promise<void> {
    this.#wanted = true;
    const link = await this.#kept.soon();
    await this.#startIn(link);
  }

  /** A worker that was started. @throws AgentNotReady when there is none in time */
  async ready(): Promise<WorkerLink> {
    const link = await this.#kept.soon();
    if (this.#wanted) await this.#startIn(link);
    return link;
  }

  /**
   * Has a worker do it; the next one, where one that is held up has not begun. @throws AgentNotReady, and
   * what the worker's answer is
   */
  async ask<T>(work: (link: WorkerLink) => Promise<T>): Promise<T> {
    for (;;) {
      const link = this.started ?? (await this.ready());
      try {
        return await work(link);
      } catch (error) {
        if (!(error instanceof Moved)) throw error;
      }
    }
  }

  /** The worker at this moment, if there is one. */
  get link(): WorkerLink | undefined {
    const link = this.#kept.now;
    return link?.open ? link : undefined;
  }
  /** The same, if the agent was started in it: what nearly every call finds. */
  get started(): WorkerLink | undefined {
    return this.#startedIn?.open ? this.#startedIn : undefined;
  }

  /** How long the newest worker took until it said hello. */
  get loadedInMs(): number {
    return this.#loadedInMs;
  }

  /**
   * Has the worker load the project again, for another supervisor that joins its process. Undefined: it
   * cannot. @throws WorkerLost
   */
  async reload(): Promise<{ said: Reloaded; process: SharedProcess } | undefined> {
    const reloaded = await this.link?.reload();
    const process = this.#process;
    return reloaded && process && { said: reloaded, process };
  }

  /** Shutdown hook, process, socket: all of it, once. */
  end(): Promise<void> {
    return this.#kept.end(async () => {
      await Promise.all([this.#kept.now?.shutdown(), ...Array.from(this.#aside.keys(), (link) => link.shutdown())]);
      await Promise.all(this.#aside.values());
    });
  }

  #startIn(link: WorkerLink): Promise<void> {
    let started = this.#starts.get(link);
    if (started) return started;
    started = link.start(this.#parts.config, this.#parts.secrets()).then(() => void (this.#startedIn = link));
    this.#starts.set(link, started);
    return started;
  }

  async #connect(): Promise<WorkerLink> {
    const { worker, log, skills } = this.#parts;
    const since = performance.now();
    const used: WorkerAddress | SharedProcess = 'url' in worker ? worker : await this.#processOf(worker);
    try {
      const link = new WorkerLink(await this.#reach(used, 'process' in used ? used.process : undefined), log);
      const hello = await link.hello;
      this.#loadedInMs = performance.now() - since;
      if (hello.watch !== undefined) await this.#watch(link, used, hello.watch);
      const missing = skills.filter((skill) => !hello.skills.includes(skill));
      if (missing.length > 0) {
        link.close('its skills are not those of the card');
        throw new WorkerFailed(
          `the worker has no skill ${missing.map((skill) => `"${skill}"`).join(', ')}; compile the project again so that card and code agree`,
        );
      }
      return link;
    } catch (error) {
      await this.#leave();
      throw error;
    }
  }

  async #watch(link: WorkerLink, address: WorkerAddress, name: string): Promise<void> {
    const { log } = this.#parts;
    const watch = await Watch.open(address, name);
    link.watch = watch;
    void link.closed.then(() => watch.close());
    const holdup = new Holdup({ link, log, held: (answers) => this.#held(link, answers) });
    link.onAsked = () => holdup.begin();
  }

  /** Code that blocks a worker costs nobody else: its runs stay in it, and others get a second worker. */
  async #held(link: WorkerLink, answers: boolean): Promise<void> {
    if (this.#aside.has(link)) {
      link.standAside();
      if (link.live === 0) link.close('the worker is held by code that cannot be ended');
      return;
    }
    if (link !== this.#kept.now || link.reloading || 'url' in this.#parts.worker || this.#aside.size >= MAX_ASIDE) return;
    const taken = answers ? await link.takeBack() : [];
    // It may have been lost meanwhile, with its runs.
    if (link !== this.#kept.now) return;
    if (taken.length > 0 || link.othersWait) this.#setAside(link);
    for (const run of taken) run.move();
  }

  #setAside(link: WorkerLink): void {
    this.#parts.log.warn('the worker is held up while others wait: a second one takes the calls from here on; the runs in the first go on there', {
      runs: link.live,
    });
    const process = this.#process;
    this.#process = undefined;
    if (this.#startedIn === link) this.#startedIn = undefined;
    this.#aside.set(
      link,
      this.#endAside(link, process).catch((error: unknown) => this.#parts.log.error('a worker that stood aside did not end', errorFields(error))),
    );
    this.#kept.replace();
    link.standAside();
  }

  async #endAside(link: WorkerLink, process: SharedProcess | undefined): Promise<void> {
    await Promise.race([link.idle, link.closed]);
    await link.shutdown();
    await process?.leave(END_GRACE_MS);
    this.#aside.delete(link);
  }

  async #processOf(worker: WorkerCommand): Promise<SharedProcess> {
    const { joins, log } = this.#parts;
    if (joins && !this.#joined) {
      this.#joined = true;
      return (this.#process = joins.join());
    }
    const folder = worker.socket === undefined ? await mkdtemp(join(tmpdir(), 'svc-worker-')) : undefined;
    const socket = worker.socket ?? join(folder ?? '', 'socket');
    await rm(socket, { force: true });
    return (this.#process = new SharedProcess(startProcess(worker, socket, log), socket, folder));
  }

  async #leave(): Promise<void> {
    const left = this.#process;
    this.#process = undefined;
    await left?.leave(END_GRACE_MS);
  }

  /** Tries until the worker answers, its process ends, or the time is up. */
  async #reach(address: WorkerAddress, child: WorkerProcess | undefined): ReturnType<typeof connectWorker> {
    let ended: string | undefined;
    void child?.ended.then((how) => (ended = how));
    const since = performance.now();
    let sayAtMs = SAY_EVERY_MS;
    for (let pauseMs = 5; ; pauseMs = Math.min(200, pauseMs * 1.5)) {
      try {
        return await connectWorker(address);
      } catch (error) {
        if (ended !== undefined) throw new WorkerFailed(`the worker ${ended} before it was ready`, child?.lastWords());
        const refused = error instanceof Error && 'code' in error && (error.code === 'ECONNREFUSED' || error.code === 'ENOENT' || error.code === 'ECONNRESET');
        if (!refused || this.#kept.isEnding)
          throw new WorkerFailed(`the worker cannot be reached: ${error instanceof Error ? error.message : String(error)}`, child?.lastWords());
        const waitedMs = performance.now() - since;
        if (waitedMs > LOADED_WITHIN_MS)
          throw new WorkerFailed(`the worker took no connection within ${LOADED_WITHIN_MS / 1000} s of its start`, child?.lastWords());
        if (waitedMs > sayAtMs) {
          this.#parts.log.info(`the worker still loads, ${sayAtMs / 1000} s after its start`);
          sayAtMs += SAY_EVERY_MS;
        }
        await pause(pauseMs);
      }
    }
  }
}
