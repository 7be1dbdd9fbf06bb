// One run in a worker: its events in order with acknowledgements, its calls, and its one outcome.
import { MAX_UNACKNOWLEDGED_EVENTS, type FromWorker, type ToWorker, type WorkerError } from '../../../contract/wire/worker.ts';
import type { Log, RunContext } from '../authoring/context.ts';
import { SvcError } from '../authoring/errors.ts';
import { Run } from '../runtime/run.ts';
import { ContextCalls } from './context-calls.ts';
import { fromWorker, Moved, toWorker, WorkerLost } from './errors.ts';

type Event = Extract<FromWorker, { t: 'event' }>;
type Call = Extract<FromWorker, { t: 'call' }>;

/** Calls into the run context a run may have open. */
const MAX_OPEN_CALLS = 64;
/** An acknowledgement for each event would cost as much as the event. */
const ACKNOWLEDGE_EVERY = MAX_UNACKNOWLEDGED_EVENTS / 4;

export class RemoteRun {
  readonly #id: number;
  readonly #ctx: RunContext;
  readonly #send: (frame: ToWorker) => void;
  readonly #outcome = Promise.withResolvers<unknown>();
  readonly #waiting: Event[] = [];
  #calls: ContextCalls | undefined;
  readonly #openCalls = new Set<number>();
  #seq = 0;
  #taking: Promise<void> | undefined;
  #over = false;
  #heard = false;
  #cancelled = false;

  constructor(id: number, ctx: RunContext, send: (frame: ToWorker) => void) {
    this.#id = id;
    this.#ctx = ctx;
    this.#send = send;
    this.#outcome.promise.catch(() => {});
  }

  get outcome(): Promise<unknown> {
    return this.#outcome.promise;
  }
  /** Nothing came of it yet. */
  get silent(): boolean {
    return !this.#heard;
  }
  /** It was not cancelled: it has time left, or waits. */
  get live(): boolean {
    return !this.#over && !this.#cancelled;
  }
  /** Its code runs: it waits for nothing that it asked of the run context. */
  get working(): boolean {
    return this.live && this.#openCalls.size === 0;
  }
  /** Calls wait for a place that runs hold. */
  get othersWait(): boolean {
    return this.#ctx instanceof Run && this.#ctx.othersWait;
  }
  /** Its worker is held up: it holds no place of the agent's from here on. */
  standAside(): void {
    if (this.#ctx instanceof Run) this.#ctx.standAside();
  }
  get name(): { run_id: string; skill: string } {
    return { run_id: this.#ctx.runId, skill: this.#ctx.skill };
  }
  get log(): Log {
    return this.#ctx.log;
  }

  /** The worker's last word. Events before it are written first. */
  finished(value: unknown): void {
    this.#end(() => this.#outcome.resolve(value ?? null));
  }
  failed(error: WorkerError): void {
    this.#end(() => this.#outcome.reject(fromWorker(error)));
  }
  /** Taken back: it has not begun in this worker, and begins in another. */
  move(): void {
    this.#over = true;
    this.#outcome.reject(new Moved());
  }
  /** From this side: the worker is gone, or broke a rule. */
  fail(error: Error): void {
    if (!this.#over) this.cancel(error);
    this.#over = true;
    this.#waiting.length = 0;
    this.#outcome.reject(error);
  }

  cancel(reason: unknown): void {
    if (this.#over) return;
    this.#cancelled = true;
    const cancelled = reason instanceof SvcError ? toWorker(reason) : { code: 'cancelled_by_caller', message: 'the run was given up', status: 499 };
    this.#send({ t: 'cancel', id: this.#id, error: cancelled });
  }

  event(event: Event): void {
    this.#heard = true;
    if (this.#over) return;
    this.#seq += 1;
    if (event.seq !== this.#seq) return this.#broke(`event ${event.seq} came where ${this.#seq} was due`);
    if (this.#waiting.push(event) > MAX_UNACKNOWLEDGED_EVENTS) {
      return this.#broke(`more than ${MAX_UNACKNOWLEDGED_EVENTS} events were sent without waiting for their acknowledgement`);
    }
    this.#taking ??= this.#take().finally(() => (this.#taking = undefined));
  }

  call(call: Call): void {
    this.#heard = true;
    if (this.#over) return;
    if (this.#openCalls.has(call.call)) return this.#broke(`call ${call.call} was made twice`);
    if (this.#openCalls.size >= MAX_OPEN_CALLS) return this.#broke(`more than ${MAX_OPEN_CALLS} calls into the run context are open`);
    this.#openCalls.add(call.call);
    void this.#reply(call);
  }

  async #reply({ call, method, params }: Call): Promise<void> {
    const id = this.#id;
    try {
      // What the skill said before it asked is to be read before.
      await this.#taking;
      this.#calls ??= new ContextCalls(this.#ctx);
      const value = await this.#calls.call(method, params);
      if (!this.#over) this.#send({ t: 'reply', id, call, value: value ?? null, ...this.#deadline() });
    } catch (error) {
      if (!(error instanceof SvcError))
        this.log.warn('a call into the run context failed', { method, error: error instanceof Error ? error.message : String(error) });
      if (!this.#over) this.#send({ t: 'reply_error', id, call, error: toWorker(error), ...this.#deadline() });
    } finally {
      this.#openCalls.delete(call);
    }
  }

  #deadline(): { deadline?: number } {
    const { deadline } = this.#ctx;
    return Number.isFinite(deadline) ? { deadline } : {};
  }

  /** A slow reader holds up the acknowledgement, and with it the skill. */
  async #take(): Promise<void> {
    try {
      for (let taken = 0, next = this.#waiting[0]; next; next = this.#waiting[0]) {
        await this.#ctx.emitEvent({ kind: next.kind, payload: next.payload });
        this.#waiting.shift();
        taken += 1;
        if (this.#over) continue;
        if (this.#waiting.length === 0 || taken % ACKNOWLEDGE_EVERY === 0) this.#send({ t: 'ack', id: this.#id, seq: next.seq });
      }
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #end(settle: () => void): void {
    if (this.#over) return this.log.warn('the worker ended a run twice');
    this.#over = true;
    if (this.#taking) void this.#taking.then(settle, settle);
    else settle();
  }

  #broke(why: string): void {
    this.fail(new WorkerLost(`the worker broke the protocol: ${why}`));
  }
}
