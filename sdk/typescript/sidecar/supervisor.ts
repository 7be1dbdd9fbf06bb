// Keeps a worker there: starts it, connects, starts the agent in it, and does all that again after it died. Calls wait meanwhile.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../authoring/context.ts';
import { AgentNotReady } from '../authoring/errors.ts';
import { connectWorker, type WorkerAddress } from './connect.ts';
import { WorkerFailed } from './errors.ts';
import { type Reloaded, WorkerLink } from './link.ts';
import { startProcess, type WorkerCommand, type WorkerProcess } from './process.ts';
import { SharedProcess } from './shared.ts';

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

/** A worker under emulation takes seconds to load its language. */
const CONNECT_WITHIN_MS = 150_000;
const CALLS_WAIT_MS = 30_000;
const END_GRACE_MS = 5_000;
const BACKOFF = { firstMs: 100, mostMs: 30_000, factor: 2, calmMs: 60_000 } as const;

export class Supervisor {
  readonly #parts: SupervisorParts;
  #process: SharedProcess | undefined;
  #joined = false;
  #link: WorkerLink | undefined;
  /** Whether startup(ctx) is to run in each new worker: the agent's first call asked for it. */
  #wanted = false;
  #current: Promise<WorkerLink> | undefined;
  #backoffMs: number = BACKOFF.firstMs;
  #since = 0;
  #ending: Promise<void> | undefined;
  #startedIn: WorkerLink | undefined;
  readonly #starts = new WeakMap<WorkerLink, Promise<void>>();

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
  }

  /** The first worker, so that what is wrong with it is known at once. @throws WorkerFailed */
  async open(): Promise<void> {
    try {
      await (this.#current = this.#connect());
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  /** Runs startup(ctx) in the worker, and from now on in each that follows. @throws AgentNotReady, WorkerLost */
  async start(): Promise<void> {
    this.#wanted = true;
    const link = await this.#soon();
    await this.#startIn(link);
  }

  /** A worker that was started. @throws AgentNotReady when there is none in time */
  async ready(): Promise<WorkerLink> {
    const link = await this.#soon();
    if (this.#wanted) await this.#startIn(link);
    return link;
  }

  /** The worker at this moment, if there is one. */
  get link(): WorkerLink | undefined {
    return this.#link?.open ? this.#link : undefined;
  }
  /** The same, if the agent was started in it: what nearly every call finds. */
  get started(): WorkerLink | undefined {
    return this.#startedIn?.open ? this.#startedIn : undefined;
  }

  /** Has the worker load the project again, for another supervisor that joins its process. Undefined: it cannot. @throws WorkerLost */
  async reload(): Promise<{ said: Reloaded; process: SharedProcess } | undefined> {
    const said = await this.link?.reload();
    const process = this.#process;
    return said && process && { said, process };
  }

  /** Shutdown hook, process, socket: all of it, once. */
  end(): Promise<void> {
    return (this.#ending ??= this.#end());
  }

  async #end(): Promise<void> {
    await this.#link?.shutdown();
    await this.#leave();
  }

  #startIn(link: WorkerLink): Promise<void> {
    let started = this.#starts.get(link);
    if (started) return started;
    started = link.start(this.#parts.config, this.#parts.secrets()).then(() => void (this.#startedIn = link));
    this.#starts.set(link, started);
    return started;
  }

  async #soon(): Promise<WorkerLink> {
    if (this.#link?.open) return this.#link;
    if (this.#ending || !this.#current) throw new AgentNotReady('the agent is shutting down');
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new AgentNotReady('the worker of this agent is not there; it is being started again')), CALLS_WAIT_MS);
    try {
      return await Promise.race([this.#current, promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #connect(): Promise<WorkerLink> {
    const { worker, log, skills } = this.#parts;
    const used: WorkerAddress | SharedProcess = 'url' in worker ? worker : await this.#processOf(worker);
    try {
      const link = new WorkerLink(await this.#reach(used, 'process' in used ? used.process : undefined), log);
      const hello = await link.hello;
      const missing = skills.filter((skill) => !hello.skills.includes(skill));
      if (missing.length > 0) {
        link.close('its skills are not those of the card');
        throw new WorkerFailed(
          `the worker has no skill ${missing.map((skill) => `"${skill}"`).join(', ')}; compile the project again so that card and code agree`,
        );
      }
      this.#since = performance.now();
      this.#link = link;
      void link.closed.then((reason) => this.#lost(reason));
      return link;
    } catch (error) {
      await this.#leave();
      throw error;
    }
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

  /** Tries until somebody answers, the process ends, or the time is up. */
  async #reach(address: WorkerAddress, child: WorkerProcess | undefined): ReturnType<typeof connectWorker> {
    let ended: string | undefined;
    void child?.ended.then((how) => (ended = how));
    const until = performance.now() + CONNECT_WITHIN_MS;
    for (let pauseMs = 5; ; pauseMs = Math.min(200, pauseMs * 1.5)) {
      try {
        return await connectWorker(address);
      } catch (error) {
        if (ended !== undefined) throw new WorkerFailed(`the worker ${ended} before it was ready`, child?.lastWords());
        const refused = error instanceof Error && 'code' in error && (error.code === 'ECONNREFUSED' || error.code === 'ENOENT' || error.code === 'ECONNRESET');
        if (!refused || performance.now() > until || this.#ending) {
          throw new WorkerFailed(`the worker cannot be reached: ${error instanceof Error ? error.message : String(error)}`, child?.lastWords());
        }
        await pause(pauseMs);
      }
    }
  }

  #lost(reason: Error): void {
    if (this.#ending) return;
    // One that did well for a while starts anew with the first pause.
    if (performance.now() - this.#since > BACKOFF.calmMs) this.#backoffMs = BACKOFF.firstMs;
    this.#parts.log.error('the worker is gone; starting it again', { reason: reason.message, pause_ms: this.#backoffMs });
    this.#current = this.#again();
    this.#current.catch(() => {});
  }

  async #again(): Promise<WorkerLink> {
    await this.#leave();
    for (;;) {
      await pause(this.#backoffMs);
      if (this.#ending) throw new AgentNotReady('the agent is shutting down');
      this.#backoffMs = Math.min(BACKOFF.mostMs, this.#backoffMs * BACKOFF.factor);
      try {
        return await this.#connect();
      } catch (error) {
        this.#parts.log.error('the worker could not be started again', {
          error: error instanceof Error ? error.message : String(error),
          pause_ms: this.#backoffMs,
        });
      }
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
