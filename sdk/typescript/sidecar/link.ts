// One connection to a worker: its runs, their events, and what it asks of the run context. Nothing the worker
// says is believed unchecked.
import { NumberOutOfRange, parseExact } from '../../../contract/wire/exact-json.ts';
import type { Socket } from 'node:net';
import { FromWorker, type ToWorker } from '../../../contract/wire/worker.ts';
import type { AuthRequest, Principal } from '../authoring/auth.ts';
import { toWire } from '../authoring/caller.ts';
import type { Log, RunContext } from '../authoring/context.ts';
import { AgentNotReady, SkillOutputError, SkillTimeout } from '../authoring/errors.ts';
import { runToken } from '../runtime/model-requests.ts';
import { fromWorker, Moved, StartupRaised, WorkerLost } from './errors.ts';
import { lineReader } from './lines.ts';
import { RemoteRun } from './remote-run.ts';
import type { Watch } from './watch.ts';

export type Hello = Extract<FromWorker, { t: 'hello' }>;
export type Reloaded = Extract<FromWorker, { t: 'reloaded' | 'not_reloaded' }>;

/** Bytes not yet taken by a worker that does not read. */
const MAX_UNSENT_BYTES = 256 * 1024 * 1024;
const HELLO_TIMEOUT_MS = 10_000;
const STOP_TIMEOUT_MS = 10_000;
/**
 * After a skill's time was up a worker has said something within so long: the end of that run, or that it is
 * well.
 */
const DOUBT_MS = 5_000;
const FIRST_WORD_ONLY = 'the worker must say hello first, once';

interface Waiting {
  /** It changes nothing in the worker: another can be asked. */
  movable: boolean;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

export class WorkerLink {
  readonly #socket: Socket;
  readonly #log: Log;
  readonly #runs = new Map<number, RemoteRun>();
  readonly #waiting = new Map<number, Waiting>();
  readonly #hello = Promise.withResolvers<Hello>();
  readonly #started = Promise.withResolvers<void>();
  readonly #stopped = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<Error>();
  #greeted = false;
  #lost: Error | undefined;
  #heardAt = 0;
  #nextId = 1;
  #reloading = false;
  #doubting: NodeJS.Timeout | undefined;
  readonly #idle = Promise.withResolvers<void>();
  #aside = false;
  /** Shows what blocks the worker, where it has that. */
  watch: Watch | undefined;
  /** Called when something is asked of the worker. */
  onAsked: () => void = () => {};

  constructor({ socket, head }: { socket: Socket; head: Buffer }, log: Log) {
    this.#socket = socket;
    this.#log = log;
    for (const promise of [this.#hello.promise, this.#started.promise]) promise.catch(() => {});
    const feed = lineReader((line) => this.#take(line));
    const take = (chunk: Buffer): void => {
      if (this.#lost) return;
      try {
        feed(chunk);
      } catch (error) {
        this.#break(error instanceof Error ? error.message : String(error));
      }
    };
    const timer = setTimeout(() => this.#break('the worker did not say hello in time'), HELLO_TIMEOUT_MS);
    void this.#hello.promise.then(
      () => clearTimeout(timer),
      () => clearTimeout(timer),
    );
    socket.on('data', take);
    socket.on('error', (error) => this.#end(new WorkerLost(`the connection to the worker failed: ${error.message}`)));
    socket.on('close', () => this.#end(new WorkerLost('the worker closed the connection')));
    if (head.length > 0) take(head);
  }

  /** @throws WorkerLost */
  get hello(): Promise<Hello> {
    return this.#hello.promise;
  }
  /** Resolves with the reason once nothing can be said any more. */
  get closed(): Promise<Error> {
    return this.#closed.promise;
  }
  get open(): boolean {
    return !this.#lost;
  }
  /** When it last said anything, on the clock of performance.now(). */
  get heardAt(): number {
    return this.#heardAt;
  }

  /** Runs that have time left, or wait. */
  get live(): number {
    return this.#count((run) => run.live);
  }
  /**
   * Whether its code is to do something, as opposed to runs that wait for others. One that stands aside is to
   * end the runs that are over.
   */
  get working(): boolean {
    if (this.#aside && this.#runs.size > 0 && this.live === 0) return true;
    return this.#movable().length > 0 || this.#count((run) => run.working) > 0;
  }
  /** What the log calls a run. */
  nameOf(run: number): { run_id?: string; skill?: string } {
    return this.#runs.get(run)?.name ?? {};
  }
  #count(which: (run: RemoteRun) => boolean): number {
    let count = 0;
    for (const run of this.#runs.values()) if (which(run)) count += 1;
    return count;
  }
  #movable(): [number, Waiting][] {
    return [...this.#waiting].filter(([, { movable }]) => movable);
  }

  /** Takes back the calls that have not begun in a worker that is held up, to be moved. */
  async takeBack(): Promise<RemoteRun[]> {
    const { watch } = this;
    if (!watch) return [];
    const silent = [...this.#runs].filter(([, run]) => run.live && run.silent);
    const taken = await Promise.all(silent.map(async ([id, run]) => ((await watch.take(id)) ? [run] : [])));
    return taken.flat();
  }

  /** Whether others wait for what this worker does not do. */
  get othersWait(): boolean {
    return this.#movable().length > 0 || [...this.#runs.values()].some((run) => run.othersWait);
  }

  /**
   * Nothing new is asked of it. Its runs go on where they can, without a place; what changes nothing is asked
   * of the next worker.
   */
  standAside(): void {
    this.#aside = true;
    for (const run of this.#runs.values()) run.standAside();
    for (const [id, { reject }] of this.#movable()) {
      this.#waiting.delete(id);
      reject(new Moved());
    }
    this.#rest();
  }
  /** Resolves when one that stands aside has no runs. */
  get idle(): Promise<void> {
    return this.#idle.promise;
  }
  #rest(): void {
    if (this.#aside && this.#runs.size === 0) this.#idle.resolve();
  }

  /** @throws AgentNotReady when startup(ctx) raised, WorkerLost */
  async start(config: Record<string, unknown>, secrets: Readonly<Record<string, string>>): Promise<void> {
    this.#send({ t: 'start', config, secrets: { ...secrets } });
    await this.#started.promise;
  }

  renew(secrets: Readonly<Record<string, string>>): void {
    this.#send({ t: 'renew', secrets: { ...secrets } });
  }

  /** Settles when the worker ended the run, also after a cancellation. */
  async invoke(skill: string, ctx: RunContext, args: Record<string, unknown>): Promise<unknown> {
    if (this.#lost) throw this.#lost;
    const id = this.#nextId++;
    const run = new RemoteRun(id, ctx, (frame) => this.#send(frame));
    this.#runs.set(id, run);
    this.onAsked();
    const { runId: run_id, requestId: request_id, auth, caller, deadline, grant, setup, trace } = ctx;
    const token = runToken();
    this.#send({
      t: 'invoke',
      id,
      skill,
      args,
      run: {
        run_id,
        request_id,
        auth: { ...auth },
        ...(caller && { caller: toWire(caller) }),
        deadline: Number.isFinite(deadline) ? deadline : null,
        grant,
        ...(token !== undefined && { token }),
        ...(Object.keys(trace).length > 0 && { trace: { ...trace } }),
        setup: { ...setup },
      },
    });
    const { signal } = ctx;
    const cancel = (): void => {
      run.cancel(signal.reason);
      // Its own worker ends what blocks it, where that can be ended at all.
      if (signal.reason instanceof SkillTimeout) this.#doubt();
    };
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
    try {
      return await run.outcome;
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#runs.delete(id);
      this.#rest();
    }
  }

  async resolveAuth({ bearer, caller }: Pick<AuthRequest, 'bearer' | 'caller'>, headers: Record<string, string>): Promise<Principal> {
    this.onAsked();
    const frame = { t: 'resolve_auth', bearer: bearer ?? null, headers, ...(caller && { caller: toWire(caller) }) } as const;
    const value = await this.#request((id) => ({ ...frame, id }), true);
    return value as Principal; // the frame's schema said that it is an object
  }

  /** @throws AgentNotReady with the worker's reason, where it gave one */
  async health(): Promise<boolean> {
    return (await this.#request((id) => ({ t: 'health', id }))) === true;
  }

  /**
   * A skill's time was up. A worker that says nothing from then on is held by code that nothing can end, and
   * is ended unless it holds other runs.
   */
  #doubt(): void {
    if (this.#doubting) return;
    const since = performance.now();
    setTimeout(() => void this.health().catch(() => undefined), DOUBT_MS / 2).unref();
    this.#doubting = setTimeout(() => {
      this.#doubting = undefined;
      // Runs that have time left, or wait, stay where they are: others get another worker (holdup.ts).
      if (this.#heardAt > since || this.#reloading || this.live > 0) return;
      this.#log.error('the worker is held by code that cannot be ended, and is replaced');
      this.close(`the worker did not answer for ${DOUBT_MS / 1000} s after a skill's time was up`);
    }, DOUBT_MS).unref();
  }

  /** Undefined: this worker does not load changed code. @throws WorkerLost */
  async reload(): Promise<Reloaded | undefined> {
    if ((await this.hello).reloads !== true) return undefined;
    this.#reloading = true;
    try {
      return (await this.#request((id) => ({ t: 'reload', id }))) as Reloaded; // the frames that answer it
    } finally {
      this.#reloading = false;
    }
  }
  /** Nothing else is answered meanwhile. */
  get reloading(): boolean {
    return this.#reloading;
  }

  /** Asks the worker to run its shutdown hook and leave; waits for it. */
  async shutdown(): Promise<void> {
    if (this.#lost) return;
    this.#send({ t: 'shutdown' });
    const timer = setTimeout(() => this.#stopped.resolve(), STOP_TIMEOUT_MS);
    await Promise.race([this.#stopped.promise, this.#closed.promise]);
    clearTimeout(timer);
    this.close('the agent shut down');
  }

  close(reason: string): void {
    this.#end(new WorkerLost(reason));
  }

  #request(frame: (id: number) => ToWorker, movable = false): Promise<unknown> {
    if (this.#lost) return Promise.reject(this.#lost);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, movable });
      this.#send(frame(id));
    });
  }

  #send(frame: ToWorker): void {
    if (this.#lost) return;
    this.#socket.write(`${JSON.stringify(frame)}\n`);
    if (this.#socket.writableLength > MAX_UNSENT_BYTES) this.#break('the worker does not read what it is sent');
  }

  #take(line: string): void {
    // What follows a broken line in the same chunk.
    if (this.#lost) return;
    this.#heardAt = performance.now();
    let json: unknown;
    try {
      json = parseExact(line);
    } catch (error) {
      if (error instanceof NumberOutOfRange) return this.#inexact(JSON.parse(line), error);
      return this.#break('the worker sent a line that is not JSON');
    }
    if (this.#greeted && isResult(json)) return this.#toRun(json);
    const frame = FromWorker.safeParse(json);
    if (!frame.success) return this.#refuse(json, frame.error.issues[0]?.message ?? 'not a frame');
    if (this.#greeted === (frame.data.t === 'hello')) return this.#break(FIRST_WORD_ONLY);
    this.#dispatch(frame.data);
  }

  /** It would reach the caller as another number. */
  #inexact(json: unknown, { message }: NumberOutOfRange): void {
    const run = this.#runs.get(idIn(json));
    if (!run) return this.#break(`the worker sent a frame that cannot be read: ${message}`);
    run.fail(new SkillOutputError(message));
  }

  /** A frame of a run that does not fit ends that run; anything else ends the connection. */
  #refuse(json: unknown, why: string): void {
    const run = this.#runs.get(idIn(json));
    if (!run) return this.#break(`the worker sent a frame that does not fit the protocol: ${why}`);
    run.fail(new WorkerLost(`the worker sent a frame that does not fit the protocol: ${why}`));
  }

  #dispatch(frame: FromWorker): void {
    switch (frame.t) {
      case 'hello':
        this.#greeted = true;
        return this.#hello.resolve(frame);
      case 'started':
        return this.#started.resolve();
      case 'not_started':
        this.#log.error('the worker could not start the agent', { error: frame.error.message, stack: frame.error.log });
        return this.#started.reject(new AgentNotReady('the agent failed to start; see its log', { cause: new StartupRaised(frame.error) }));
      case 'stopped':
        return this.#stopped.resolve();
      case 'log':
        return this.#logged(frame);
      case 'principal':
        return this.#answer(frame.id, frame.principal);
      case 'reloaded':
      case 'not_reloaded':
        return this.#answer(frame.id, frame);
      case 'healthy':
        return this.#answer(frame.id, !frame.ok && frame.reason !== undefined ? new AgentNotReady(frame.reason) : frame.ok);
      case 'error':
        if (this.#waiting.has(frame.id)) return this.#answer(frame.id, fromWorker(frame.error));
        return this.#toRun(frame);
      case 'result':
      case 'event':
      case 'call':
        return this.#toRun(frame);
    }
  }

  /** Ignores frames of unknown or ended runs, so that they disturb no other call. */
  #toRun(frame: Extract<FromWorker, { t: 'result' | 'error' | 'event' | 'call' }>): void {
    const run = this.#runs.get(frame.id);
    if (!run) return this.#log.warn('the worker spoke of a run that is not running', { frame: frame.t, id: frame.id });
    if (frame.t === 'result') run.finished(frame.value);
    else if (frame.t === 'error') run.failed(frame.error);
    else if (frame.t === 'event') run.event(frame);
    else run.call(frame);
  }

  #answer(id: number, value: unknown): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (value instanceof Error) waiting?.reject(value);
    else waiting?.resolve(value);
  }

  #logged({ id, level, message, fields }: Extract<FromWorker, { t: 'log' }>): void {
    const log = (id !== undefined && this.#runs.get(id)?.log) || this.#log;
    log[level](message, fields);
  }

  #break(why: string): void {
    if (this.#lost) return;
    this.#log.error('the connection to the worker is given up', { error: why });
    this.#end(new WorkerLost(why));
  }

  #end(reason: WorkerLost): void {
    if (this.#lost) return;
    this.#lost = reason;
    this.#socket.destroy();
    for (const waiting of this.#waiting.values()) waiting.reject(reason);
    this.#waiting.clear();
    for (const run of this.#runs.values()) run.fail(reason);
    this.#hello.reject(reason);
    this.#started.reject(reason);
    this.#closed.resolve(reason);
  }
}

/** The frame of every run, by hand: the whole schema would look at all kinds of frames first. */
function isResult(json: unknown): json is Extract<FromWorker, { t: 'result' }> {
  return typeof json === 'object' && json !== null && 't' in json && json.t === 'result' && 'value' in json && 'id' in json && isRunId(json.id);
}

function isRunId(id: unknown): boolean {
  return Number.isSafeInteger(id) && Number(id) > 0;
}

function idIn(json: unknown): number {
  return typeof json === 'object' && json !== null && 'id' in json && typeof json.id === 'number' ? json.id : 0;
}
