// Runs skills, whatever protocol asked: scopes, input, a place, startup once, deadline, retries, output.
import type { ArtifactRef } from '../../../contract/wire/events.ts';
import type { Agent } from '../authoring/agent.ts';
import { requireScopes, type Principal } from '../authoring/auth.ts';
import type { Log, RunContext } from '../authoring/context.ts';
import type { BoundSkill, Declaration } from '../authoring/declare.ts';
import {
  AgentBusy,
  AgentNotReady,
  CancelledByCaller,
  SecretMissing,
  SkillInvocationError,
  SkillNotFound,
  SkillTimeout,
  SvcError,
} from '../authoring/errors.ts';
import { DetachedRuns, type DetachedRun } from './detached.ts';
import { EventLog } from './event-log.ts';
import { Gate } from './gate.ts';
import { finalEvent } from './final-event.ts';
import type { IdSource } from './ids.ts';
import { Life } from './life.ts';
import { asSvcError } from './as-svc-error.ts';
import { asRun } from './model-requests.ts';
import { accepted, fitting, parse, withinLimit } from './models.ts';
import type { RunPlatform } from './platform.ts';
import type { RunOrigin, VerifyGrant } from './origin.ts';
import { PendingRequests } from './pending.ts';
import { Run, type EventSink } from './run.ts';
import { DEFAULTS } from './options.ts';
import { withRetries } from './retry.ts';
import type { Setup } from './setup.ts';
import { Slot } from './slot.ts';
import { Vitals } from './vitals.ts';
import { guarded, turn, type Cut } from './watchdog/watchdog.ts';

export interface ExecutorParts {
  agent: Agent;
  declaration: Declaration;
  log: (bound: Record<string, unknown>) => Log;
  ids: IdSource;
  secrets: () => Readonly<Record<string, string>>;
  platform: RunPlatform;
  verify: VerifyGrant;
  /** Where no platform says what the caller set. */
  setup: Setup | undefined;
  maxQueued: number;
  maxQueueMs: number;
  stopGraceMs: number;
  healthEveryMs: number;
  /** A run blocked the process past its deadline and was ended. */
  onCut?: ((requestId: string, error: SvcError) => void) | undefined;
}

/** A call that may run: who, what, and the arguments as the handler gets them. */
export interface Prepared {
  bound: BoundSkill;
  auth: Principal;
  args: Record<string, unknown>;
}

export interface StartRun {
  requestId: string;
  /** Gets every event of the run, questions and scope requests among them. */
  sink?: EventSink | undefined;
  /** Sees what the run stores, as it stores it. */
  wrote?: (artifact: ArtifactRef, data: Uint8Array) => void;
  /**
   * Gets what the skill itself writes to its log, as JSON without secrets; not what the runtime writes about
   * it.
   */
  logged?: (line: string) => void;
  /** Run id, credential and grant that came with the call, and whether the run continues without it. */
  origin?: RunOrigin;
  /** Who calls (owner.ts), where the caller can be known again. */
  owner?: string | undefined;
  /**
   * The caller can put questions to a person and bring the answers (PendingRequests.answer), so the skill can
   * ask even if the platform has no user to ask.
   */
  callerAnswers?: boolean;
}

/**
 * A skill that blocks the process for so long at one go is ended when others wait: they are answered within
 * 10 s.
 */
const WAITED_MS = 7_000;
const NO_ORIGIN: RunOrigin = Object.freeze({});

export interface RunHandle {
  runId: string;
  /** Of a detached run. */
  log?: EventLog;
  /** Resolves when a run becomes independent of its caller, because the platform asks a person for it. */
  kept?: { readonly now: boolean; promise: Promise<void> };
  result: Promise<unknown>;
  stop(reason?: SvcError): void;
}

export class Executor {
  readonly #parts: ExecutorParts;
  readonly #gate: Gate;
  readonly #life: Life;
  readonly #detached = new DetachedRuns();
  /** What runs wait for: questions and scope requests. */
  readonly pending: PendingRequests;
  readonly vitals: Vitals;
  /** Begun and not ended, waiting ones too. */
  readonly #runs = new Set<Run>();
  /** What the end of a run waits for. */
  readonly #beforeEnd = new Map<string, () => Promise<void>>();
  #writing = 0;
  #process: string | undefined;
  #closing = false;

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
    this.#life = new Life(parts.agent, (hook) => ({ secret: (name) => this.secret(name), log: parts.log({ hook }) }));
    this.pending = new PendingRequests(parts.verify);
    this.vitals = new Vitals(parts.agent, parts.log({ hook: 'health' }), { started: () => this.#life.started, everyMs: parts.healthEveryMs });
    this.#gate = new Gate(parts.declaration.card.runtime.concurrency, parts.maxQueued);
  }

  /**
   * Names this life of the process. Made when first requested, which is after a clone got its own
   * credentials; kept only in memory, so that it survives a sleep and nothing else.
   */
  get process(): string {
    return (this.#process ??= `prc_${this.#parts.ids.uuid()}`);
  }

  get running(): number {
    return this.#gate.running;
  }
  /**
   * Begun and not ended: those that run, those that wait for their turn, and those that wait for a person.
   */
  get open(): number {
    return this.#runs.size;
  }
  /** Of these the ones that wait for a person. */
  get waiting(): number {
    return Math.max(0, this.#runs.size - this.#gate.running - this.#gate.queued);
  }
  /**
   * Writes to the platform that are under way: the machine stays awake for them, also where their run waits
   * for a person.
   */
  get writing(): number {
    return this.#writing;
  }
  async writes(work: Promise<void>): Promise<void> {
    this.#writing += 1;
    try {
      await work;
    } finally {
      this.#writing -= 1;
    }
  }
  /** Of the open runs. */
  requestIds(): Set<string> {
    return new Set(Array.from(this.#runs, (run) => run.requestId));
  }
  /** False once startup failed or shutdown began. */
  get serving(): boolean {
    return !this.#closing && !this.#life.failed;
  }

  /** Runs the startup hook, unless it has run. @throws AgentNotReady, whose cause is what the hook threw */
  startup(): Promise<void> {
    return this.#life.start();
  }

  /** @throws SkillNotFound, MissingScopes, SkillInputError */
  prepare(skill: string, raw: unknown, auth: Principal): Promise<Prepared> | Prepared {
    const bound = this.#parts.declaration.skills.get(skill);
    if (!bound) throw new SkillNotFound(skill, [...this.#parts.declaration.skills.keys()]);
    if (bound.card.scopes.length > 0) requireScopes(auth, bound.card.scopes);
    const parsed = parse(bound.input, raw);
    if (parsed instanceof Promise) return parsed.then((later) => ({ bound, auth, args: accepted(bound, later) }));
    return { bound, auth, args: accepted(bound, parsed) };
  }

  /** A run that continues without its caller, while it is kept. */
  detached(runId: string): DetachedRun | undefined {
    return this.#detached.get(runId);
  }
  /**
   * A detached run that must not begin: it ended here and is not kept, or it was cancelled before it came.
   */
  isOver(runId: string): boolean {
    return this.#detached.isOver(runId);
  }
  mayHaveRun(runId: string): boolean {
    return this.#detached.mayHaveRun(runId);
  }
  /** Cancels a run that has not come. */
  refuse(runId: string): void {
    this.#detached.refuse(runId);
  }
  /** A reader of a detached run's events went away, or has them all. */
  readerLeft(run: DetachedRun): void {
    this.#detached.readerLeft(run);
  }

  /** @throws AgentBusy, AgentNotReady, SkillInvocationError bad_request before anything ran */
  start(prepared: Prepared, options: StartRun): RunHandle {
    if (this.#closing) throw new AgentNotReady('the agent is shutting down');
    const { pricedSkill } = options.origin ?? NO_ORIGIN;
    // The platform has asked the price of another one.
    if (pricedSkill !== undefined && pricedSkill !== prepared.bound.id)
      throw new SkillInvocationError(
        `this call is of "${pricedSkill.slice(0, 64)}", not of "${prepared.bound.id}": name the skill in the same way everywhere`,
        {
          code: 'bad_request',
          status: 400,
        },
      );
    const { health } = this.vitals;
    if (!health.ok) {
      // Perhaps it slept since it was last asked.
      void this.vitals.ask();
      throw new AgentNotReady(health.reason, { retryAfterSeconds: DEFAULTS.healthEveryMs / 1000 });
    }
    if (options.origin?.detached === 'always') return this.#startDetached(prepared, options);
    return options.origin?.detached === 'wait' && options.origin.runId !== undefined ? this.#startKept(prepared, options) : this.#start(prepared, options);
  }

  #start({ bound, auth, args }: Prepared, options: StartRun, onWait?: () => void): RunHandle {
    const { requestId, sink, wrote, logged, owner, origin = NO_ORIGIN, callerAnswers = false } = options;
    const { declaration, ids, log, platform, verify } = this.#parts;
    const slot = new Slot(this.#gate);
    const runId = origin.runId ?? `run_${ids.uuid()}`;
    const run = new Run({
      runId,
      requestId,
      agent: declaration.card.name,
      bound,
      auth,
      log,
      secret: (name) => this.secret(name),
      sink,
      wrote,
      logged,
      secrets: this.#parts.secrets,
      platform,
      pending: this.pending,
      verify,
      policy: declaration.card.workspace_access,
      origin,
      owner,
      setup: { fields: declaration.card.consumer_setup, local: this.#parts.setup },
      slot,
      callerAnswers,
      onWait,
      id: (prefix) => `${prefix}_${ids.uuid()}`,
    });
    return { runId, result: this.#drive(run, bound, args, slot, options), stop: (reason = new CancelledByCaller()) => run.stop(reason) };
  }

  /** The run writes into a log; its readers may come and go. */
  #startDetached(prepared: Prepared, options: StartRun): RunHandle {
    const log = new EventLog(() => handle.stop(new SkillInvocationError('the run wrote more events than its reader took, without waiting')));
    const sink: EventSink = async (kind, payload) => {
      await Promise.all([log.append(kind, payload), options.sink?.(kind, payload)]);
    };
    const handle = this.#start(prepared, { ...options, sink });
    this.#keep(handle, prepared.bound.id, options.requestId, log);
    return { ...handle, log };
  }

  /**
   * Its caller's, until a person is asked through the platform: from then on the platform holds it, which
   * finds all its events.
   */
  #startKept(prepared: Prepared, options: StartRun): RunHandle {
    const log = EventLog.loose(() => handle.stop(new SkillInvocationError('the run wrote more events than its reader took, without waiting')));
    const sink: EventSink = async (kind, payload) => {
      await Promise.all([log.append(kind, payload), options.sink?.(kind, payload)]);
    };
    const { promise, resolve } = Promise.withResolvers<void>();
    const promotion = { now: false, promise };
    const handle = this.#start(prepared, { ...options, sink }, () => {
      promotion.now = true;
      log.keep();
      resolve();
    });
    this.#keep(handle, prepared.bound.id, options.requestId, log, promotion);
    return { ...handle, log, kept: promotion };
  }

  /** Who follows the run learns of its end after this: with its end the run's permissions are over. */
  endAfter(runId: string, work: () => Promise<void>): void {
    this.#beforeEnd.set(runId, work);
  }

  /** A run that began with a caller continues without: a follower reads from now on, until its end. */
  detach(handle: RunHandle, skill: string, requestId: string): void {
    if (!this.#detached.get(handle.runId)) this.#keep(handle, skill, requestId, new EventLog());
  }

  #keep({ runId, result, stop }: RunHandle, skill: string, requestId: string, log: EventLog, kept = { now: true }): void {
    const run = { runId, requestId, skill, log, stop };
    this.#detached.add(run);
    void finalEvent(skill, result, requestId).then(async ({ kind, payload }) => {
      await this.#beforeEnd.get(runId)?.();
      this.#beforeEnd.delete(runId);
      log.end(kind, payload);
      if (kept.now) this.#detached.ended(run);
      else this.#detached.drop(run);
    });
  }

  secret(name: string): string {
    const value = this.#parts.secrets()[name];
    if (value === undefined) throw new SecretMissing(name);
    return value;
  }

  /**
   * Continues a run that began as another skill as this one, with the run's slot and time limit; the policy
   * is this skill's from now on.
   */
  async continueAs(ctx: RunContext, { bound, args }: Prepared): Promise<unknown> {
    if (!(ctx instanceof Run)) throw new TypeError('not a run of this process');
    ctx.become(bound, this.#secondsOf(bound));
    return await this.#checked(bound, await bound.skill.handler.call(this.#parts.agent, ctx, args));
  }

  #secondsOf({ card }: BoundSkill): number {
    return Math.min(card.policy.timeout_seconds ?? Infinity, this.#parts.declaration.card.runtime.resources.max_runtime_seconds);
  }

  /** @throws SkillOutputError, AnswerTooLarge */
  async #checked(bound: BoundSkill, value: unknown): Promise<unknown> {
    return withinLimit(bound, bound.output ? fitting(bound, await parse(bound.output, value)) : value);
  }

  async #drive(run: Run, bound: BoundSkill, args: Record<string, unknown>, slot: Slot, options: StartRun): Promise<unknown> {
    let work: Promise<unknown> | undefined;
    let outcome: 'succeeded' | 'failed' = 'failed';
    this.#runs.add(run);
    try {
      if (slot.ready) await this.#queue(run, slot.ready);
      if (!this.#life.started) await run.unlessStopped(this.#life.start());
      const seconds = this.#secondsOf(bound);
      slot.startClock(seconds * 1000, () => run.stop(new SkillTimeout(bound.id, seconds)));
      if (options.sink) {
        await run.send('status', { state: 'running', run_id: run.runId, skill: bound.id });
        // The reader gets it before the handler starts, which may block.
        await turn();
      }
      // The caller may have gone while it was slow to read, or while this waited.
      run.checkCancelled();
      const scope = {
        left: (blockedMs: number, waited: boolean) => Math.min(slot.left(blockedMs), waited || this.#gate.queued > 0 ? WAITED_MS - blockedMs : Infinity),
        cut: (how: Cut) => this.#cut(run, slot, how, slot.left(how.blockedMs) > 0 ? blockedOthers(bound.id) : new SkillTimeout(bound.id, seconds)),
      };
      const handle = (): Promise<unknown> => bound.skill.handler.call(this.#parts.agent, run, args);
      const { idempotent, max_retries: most } = bound.card.policy;
      const retries = idempotent ? most - (options.origin?.retried ?? 0) : 0;
      const attempts = (): Promise<unknown> => (retries > 0 ? withRetries(run, retries, handle) : handle());
      work = guarded(scope, () => asRun(options.origin?.runToken, attempts));
      const value = await run.unlessStopped(work);
      const result = await this.#checked(bound, value);
      outcome = 'succeeded';
      return result;
    } catch (error) {
      throw asSvcError(error, run, bound);
    } finally {
      slot.end(run.stopped ? work : undefined, this.#parts.stopGraceMs);
      this.#runs.delete(run);
      run.end(outcome);
    }
  }

  /**
   * Its handler blocked the process past its time and was ended: it never settles, so the run is ended here.
   */
  #cut(run: Run, slot: Slot, { blockedMs, stack }: Cut, error: SvcError): void {
    const why = error instanceof SkillTimeout ? 'past its deadline' : 'while other calls waited';
    run.ownLog.error(`the skill blocked its process ${why} and was ended there; nothing after that line ran, nor any finally`, {
      code: 'skill_timeout',
      blocked_ms: blockedMs,
      stack,
    });
    run.stop(error);
    slot.cut();
    this.#parts.onCut?.(run.requestId, error);
  }

  async #queue(run: Run, ready: Promise<void>): Promise<void> {
    const timer = setTimeout(() => run.stop(new AgentBusy(1)), this.#parts.maxQueueMs);
    try {
      await run.send('status', { state: 'queued', run_id: run.runId, skill: run.skill });
      await run.unlessStopped(ready);
    } finally {
      clearTimeout(timer);
    }
  }

  /** No new runs; waits for those that run, at most `drainMs`; then the shutdown hook, once. */
  async shutdown(drainMs: number): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    const until = performance.now() + drainMs;
    while (this.running > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
    // Those that wait for a person, and those that took too long.
    for (const run of this.#runs) run.stop(new AgentNotReady('the agent is shutting down'));
    await this.#life.end();
    this.#detached.forgetAll();
    this.vitals.end();
  }
}

function blockedOthers(skill: string): SvcError {
  const advice = 'its author can await what takes long, or move it to a worker thread';
  return new SvcError('skill_timeout', `skill "${skill}" blocked its agent for ${WAITED_MS / 1000} s while other calls waited; ${advice}`, 504);
}
