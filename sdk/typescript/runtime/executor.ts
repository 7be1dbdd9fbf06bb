// Runs skills, whatever protocol asked: scopes, input, a place, startup once, deadline, retries, output.
import type { Agent } from '../authoring/agent.ts';
import { requireScopes, type Principal } from '../authoring/auth.ts';
import type { Log } from '../authoring/context.ts';
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
import { Gate, type Place } from './gate.ts';
import type { IdSource } from './ids.ts';
import { Life } from './life.ts';
import { errorFields } from './log.ts';
import { accepted, fitting, parse } from './models.ts';
import type { RunPlatform } from './platform.ts';
import { Run, type EventSink } from './run.ts';

export interface ExecutorParts {
  agent: Agent;
  declaration: Declaration;
  log: (bound: Record<string, unknown>) => Log;
  ids: IdSource;
  secrets: () => Readonly<Record<string, string>>;
  platform: RunPlatform;
  maxQueued: number;
  maxQueueMs: number;
  stopGraceMs: number;
}

/** A call that may run: who, what, and the arguments as the handler gets them. */
export interface Prepared {
  bound: BoundSkill;
  auth: Principal;
  args: Record<string, unknown>;
}

export interface RunHandle {
  runId: string;
  result: Promise<unknown>;
  stop(reason?: SvcError): void;
}

export class Executor {
  readonly #parts: ExecutorParts;
  readonly #gate: Gate;
  readonly #life: Life;
  #closing = false;

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
    this.#life = new Life(parts.agent, (hook) => ({ secret: (name) => this.secret(name), log: parts.log({ hook }) }));
    this.#gate = new Gate(parts.declaration.card.runtime.concurrency, parts.maxQueued);
  }

  get running(): number {
    return this.#gate.running;
  }
  /** False once startup failed or shutdown began. */
  get serving(): boolean {
    return !this.#closing && !this.#life.failed;
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

  /** @throws AgentBusy, AgentNotReady before anything ran */
  start({ bound, auth, args }: Prepared, { requestId, sink }: { requestId: string; sink?: EventSink | undefined }): RunHandle {
    if (this.#closing) throw new AgentNotReady('the agent is shutting down');
    const place = this.#gate.reserve();
    const runId = `run_${this.#parts.ids.uuid()}`;
    const run = new Run({
      runId,
      requestId,
      agent: this.#parts.declaration.card.name,
      bound,
      auth,
      log: this.#parts.log,
      secret: (name) => this.secret(name),
      sink,
      platform: this.#parts.platform,
    });
    return { runId, result: this.#drive(run, bound, args, place, sink !== undefined), stop: (reason = new CancelledByCaller()) => run.stop(reason) };
  }

  secret(name: string): string {
    const value = this.#parts.secrets()[name];
    if (value === undefined) throw new SecretMissing(name);
    return value;
  }

  async #drive(run: Run, bound: BoundSkill, args: Record<string, unknown>, place: Place, sink: boolean): Promise<unknown> {
    let work: Promise<unknown> | undefined;
    let timer: NodeJS.Timeout | undefined;
    try {
      if (place.ready) await this.#queue(run, place.ready);
      if (!this.#life.started) await run.unlessStopped(this.#life.start());
      const seconds = Math.min(bound.card.policy.timeout_seconds ?? Infinity, this.#parts.declaration.card.runtime.resources.max_runtime_seconds);
      run.deadline = Date.now() + seconds * 1000;
      timer = setTimeout(() => run.stop(new SkillTimeout(bound.id, seconds)), Math.min(seconds * 1000, 2 ** 31 - 1));
      if (sink) await run.send('status', { state: 'running', run_id: run.runId, skill: bound.id });
      // The caller may have gone while it was slow to read, or while this waited.
      run.checkCancelled();
      work = bound.card.policy.max_retries > 0 ? this.#attempts(run, bound, args) : bound.skill.handler.call(this.#parts.agent, run, args);
      const value = await run.unlessStopped(work);
      if (!bound.output) return value;
      const parsed = parse(bound.output, value);
      return fitting(bound, parsed instanceof Promise ? await parsed : parsed);
    } catch (error) {
      throw this.#asSvcError(error, run, bound);
    } finally {
      clearTimeout(timer);
      this.#giveBack(place, run.stopped ? work : undefined);
    }
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

  /** The handler, again after a failure where the author allowed it. A refusal (SvcError) is an answer, not a failure. */
  async #attempts(run: Run, bound: BoundSkill, args: Record<string, unknown>): Promise<unknown> {
    for (let left = bound.card.policy.max_retries; ; left -= 1) {
      try {
        return await bound.skill.handler.call(this.#parts.agent, run, args);
      } catch (error) {
        if (left <= 0 || run.stopped || error instanceof SvcError) throw error;
        run.log.warn('skill failed, trying again', { ...errorFields(error), retries_left: left });
      }
    }
  }

  /** A stopped skill that goes on keeps its place for a grace, so that concurrency means what it says. */
  #giveBack(place: Place, stillRunning: Promise<unknown> | undefined): void {
    if (!stillRunning) return place.release();
    const timer = setTimeout(() => place.release(), this.#parts.stopGraceMs);
    const settled = (): void => {
      clearTimeout(timer);
      place.release();
    };
    stillRunning.then(settled, settled);
  }

  /** No new runs; waits for those that run, at most `drainMs`; then the shutdown hook, once. */
  async shutdown(drainMs: number): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    const until = performance.now() + drainMs;
    while (this.running > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
    await this.#life.end();
  }

  /** What the caller may know. Details of the unexpected go to the log only. */
  #asSvcError(error: unknown, run: Run, bound: BoundSkill): SvcError {
    if (error instanceof SvcError) {
      if (error.status >= 500) run.log.warn(error.message, { code: error.code });
      return error;
    }
    run.log.error('skill failed', errorFields(error));
    return new SkillInvocationError(`skill "${bound.id}" failed; the agent's log has the reason under request ${run.requestId}`, { cause: error });
  }
}
