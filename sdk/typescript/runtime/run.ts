// One run of one skill: the context its handler is given, and the hand that stops it.
import type { z } from 'zod';
import { QUESTION_TIMEOUT_SECONDS, type AgentEvent, type ArtifactRef } from '../../../contract/wire/events.ts';
import { checkEvent } from './check-event.ts';
import { SCOPE_REPLY_TIMEOUT_SECONDS } from '../../../contract/wire/events.ts';
import { SCOPE_REQUEST_TTL_SECONDS, type Grant } from '../../../contract/wire/grant.ts';
import type { AgentCard, WorkspaceAccess } from '../../../contract/wire/card.ts';
import { requireScopes, type Principal } from '../authoring/auth.ts';
import { type Caller, callerOf } from '../authoring/caller.ts';
import type {
  AgentQuery,
  AskOptions,
  CallOptions,
  CallResult,
  DiscoveredAgent,
  Log,
  Memory,
  RunContext,
  Sandbox,
  ScopeRequest,
  Workspace,
} from '../authoring/context.ts';
import { CallFailed, CancelledByCaller, ScopeExpansionNotAllowed, SkillTimeout, type SvcError } from '../authoring/errors.ts';
import type { Llm } from '../authoring/llm.ts';
import type { MetaRuns, TrackCallOptions } from '../authoring/meta-runs.ts';
import type { BoundSkill } from '../authoring/declare.ts';
import { runLlm } from '../llm/run-llm.ts';
import { CalledWaits } from './called-waits.ts';
import { heard } from './heard.ts';
import { type InjectedSetup, setInjectedSetupReader } from './injected-setup.ts';
import { asLine, both, createLog } from './log.ts';
import type { RunOrigin, VerifyGrant } from './origin.ts';
import type { PendingRequests } from './pending.ts';
import type { RunPlatform, RunServices } from './platform.ts';
import { setupOf, type Setup } from './setup.ts';
import type { Slot } from './slot.ts';
import { ask, waitForGrant, waitForHandoff, waitForWrite, type WaitingParts } from './waiting.ts';
import { RunWorkspace } from './workspace.ts';

/** Where a run's events go. A promise means: wait before sending more. */
export type EventSink = (kind: string, payload: object) => Promise<void> | void;

export interface RunParts {
  runId: string;
  requestId: string;
  agent: string;
  bound: BoundSkill;
  auth: Principal;
  log: (bound: Record<string, unknown>) => Log;
  secret: (name: string) => string;
  sink: EventSink | undefined;
  /** Sees what the run stores. */
  wrote?: ((artifact: ArtifactRef, data: Uint8Array) => void) | undefined;
  /** Sees what the skill writes to its log. */
  logged?: ((line: string) => void) | undefined;
  secrets: () => Readonly<Record<string, string>>;
  platform: RunPlatform;
  pending: PendingRequests;
  verify: VerifyGrant;
  policy: WorkspaceAccess;
  origin: RunOrigin;
  owner: string | undefined;
  setup: { fields: AgentCard['consumer_setup']; local: Setup | undefined };
  slot: Slot;
  callerAnswers: boolean;
  /** A person was asked through the platform. */
  onWait?: (() => void) | undefined;
  id: (prefix: string) => string;
}

const DONE = Promise.resolve();
const NO_TRACE: Readonly<Record<string, string>> = Object.freeze({});

export class Run implements RunContext {
  #parts: RunParts;
  #controller: AbortController | undefined;
  #log: Log | undefined;
  #stopped: SvcError | undefined;
  #onStop: ((error: SvcError) => void) | undefined;
  /** Waits for people, which end with the run; made when there is one. */
  #waits: Set<(error: SvcError) => void> | undefined;
  #services: RunServices | undefined;
  #workspace: RunWorkspace | undefined;
  #llm: Llm | undefined;
  /** Ends requests to models when the run is over. */
  #over: AbortController | undefined;
  #setup: Setup | undefined;
  #ended = false;
  /** Calls of it that wait for a person. */
  #calls = 0;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }
  static {
    setInjectedSetupReader((run) => (#heldSetup in run ? run.#heldSetup() : undefined));
  }
  #heldSetup(): InjectedSetup {
    const { setup, origin } = this.#parts;
    const fields = setup.fields ?? [];
    const injections = Object.fromEntries(fields.flatMap(({ name, inject }) => (inject ? [[name, inject]] : [])));
    return { sealed: origin.setupSealed, values: origin.setup ?? setup.local ?? {}, injections };
  }

  /** Continues as another skill. */
  become(bound: BoundSkill, seconds: number): void {
    this.#parts = { ...this.#parts, bound };
    this.#log = undefined;
    const { slot } = this.#parts;
    slot.stopClock();
    slot.startClock(seconds * 1000, () => this.stop(new SkillTimeout(bound.id, seconds)));
  }

  get runId(): string {
    return this.#parts.runId;
  }
  get requestId(): string {
    return this.#parts.requestId;
  }
  get trace(): Readonly<Record<string, string>> {
    return this.#parts.origin.trace ?? NO_TRACE;
  }
  get skill(): string {
    return this.#parts.bound.id;
  }
  get auth(): Principal {
    return this.#parts.auth;
  }
  get caller(): Caller | null {
    return callerOf(this.auth) ?? null;
  }
  get deadline(): number {
    return this.#parts.slot.deadline;
  }
  get grant(): Grant | null {
    return this.#parts.origin.grant?.grant ?? null;
  }
  get setup(): Setup {
    const { fields, local } = this.#parts.setup;
    return (this.#setup ??= setupOf(fields, this.#parts.origin.setup ?? local));
  }
  /** Calls wait for a place among those that run. */
  get othersWait(): boolean {
    return this.#parts.slot.othersWait;
  }
  /** What runs its code is held up: others get its place, and its own time passes. */
  standAside(): void {
    this.#parts.slot.standAside();
  }
  get log(): Log {
    const { logged } = this.#parts;
    return (this.#log ??= logged
      ? both(
          this.ownLog,
          createLog((entry) => logged(asLine(entry, this.#secrets()))),
        )
      : this.ownLog);
  }
  /** Of the runtime: what it writes of a run is never the caller's to read. */
  get ownLog(): Log {
    return this.#parts.log({ run_id: this.runId, request_id: this.requestId, skill: this.skill });
  }
  #secrets(): string[] {
    const { secrets, setup } = this.#parts;
    const own = (setup.fields ?? []).flatMap(({ name, kind, inject }) =>
      kind === 'secret' && !inject && this.setup[name] !== undefined ? [String(this.setup[name])] : [],
    );
    return [...Object.values(secrets()), ...own];
  }
  authAs<M extends z.ZodType>(model: M): z.output<M> {
    return model.parse(this.auth);
  }
  /** Made when first asked for: most skills never do. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#stopped && !this.#controller.signal.aborted) this.#controller.abort(this.#stopped);
    return this.#controller.signal;
  }
  secret(name: string): string {
    return this.#parts.secret(name);
  }

  /** Ends the run from outside: caller gone, time up. The first reason stays. */
  stop(reason: SvcError): void {
    if (this.#stopped) return;
    this.#stopped = reason;
    this.#controller?.abort(reason);
    this.#onStop?.(reason);
    for (const reject of this.#waits ?? []) reject(reason);
  }
  /** The outcome of work, or the reason of a stop that comes first. */
  unlessStopped<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#stopped) reject(this.#stopped);
      this.#onStop = reject;
      work.then(resolve, reject);
    });
  }
  /** As above, for work that is one of several. */
  async #unlessStopped<T>(work: Promise<T>): Promise<T> {
    this.checkCancelled();
    const { promise, reject } = Promise.withResolvers<never>();
    const waits = (this.#waits ??= new Set());
    waits.add(reject);
    try {
      return await Promise.race([work, promise]);
    } finally {
      waits.delete(reject);
    }
  }
  get stopped(): boolean {
    return this.#stopped !== undefined;
  }
  checkCancelled(): void {
    if (this.#stopped) throw this.#stopped;
  }
  requireScopes(required: readonly string[]): void {
    requireScopes(this.auth, required);
  }

  emitProgress(message: string, done?: { progress: number; total?: number }): Promise<void> {
    return this.send('progress', { message, ...done });
  }
  emitTextDelta(text: string): Promise<void> {
    return this.send('text_delta', { text });
  }
  emitArtifact(artifact: ArtifactRef): Promise<void> {
    return this.emitEvent({ kind: 'artifact', payload: { ...artifact } });
  }
  emitError(message: string, code: string | null = null): Promise<void> {
    return this.send('error', { message, code });
  }
  async emitEvent(event: AgentEvent): Promise<void> {
    const { kind, payload } = checkEvent(event);
    await this.send(kind, payload);
  }
  /** Events after the end go nowhere: the stream's last event has been written. */
  send(kind: string, payload: object): Promise<void> {
    if (!this.#parts.sink || this.#stopped || this.#ended) return DONE;
    return this.#parts.sink(kind, payload) ?? DONE;
  }

  async writeArtifact(name: string, data: Uint8Array | string, mimeType: string): Promise<ArtifactRef> {
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    const artifact = await this.services.writeArtifact(name, bytes, mimeType);
    this.#parts.wrote?.(artifact, bytes);
    return artifact;
  }
  ask(prompt: string, timeoutSeconds = QUESTION_TIMEOUT_SECONDS, options: AskOptions = {}): Promise<string> {
    return heard(ask(this.#waiting(), prompt, timeoutSeconds, options));
  }
  async answer(questionId: string, answer: string): Promise<boolean> {
    return this.#parts.pending.answer(questionId, answer);
  }
  call(target: string, skill: string, args: Record<string, unknown>, options: CallOptions = {}): Promise<CallResult> {
    return heard(this.#call(target, skill, args, options));
  }
  findAgents(query: AgentQuery = {}): Promise<readonly DiscoveredAgent[]> {
    return this.services.findAgents(query);
  }
  getAgent(name: string): Promise<DiscoveredAgent> {
    return this.services.getAgent(name);
  }
  requestScope(request: ScopeRequest): Promise<Grant> {
    return heard(this.#requestScope(request));
  }
  async denyScope(requestId: string, reason: string): Promise<boolean> {
    return this.#parts.pending.resolveScope(requestId, { denied: reason });
  }
  async resolveScopeGrant(requestId: string, grantToken: string): Promise<boolean> {
    return this.#parts.pending.resolveScope(requestId, { token: grantToken });
  }
  get workspace(): Workspace {
    return this.#ownWorkspace();
  }
  get sandbox(): Sandbox {
    return this.services.sandbox;
  }
  get memory(): Memory {
    return this.services.memory;
  }
  get sharedMemory(): Memory {
    return this.services.sharedMemory;
  }
  get llm(): Llm {
    if (this.#llm) return this.#llm;
    this.#over = new AbortController();
    if (this.#ended) this.#over.abort(new CancelledByCaller('the run is over'));
    return (this.#llm = runLlm(() => this.services.models, AbortSignal.any([this.signal, this.#over.signal])));
  }
  get metaRuns(): MetaRuns {
    return this.services.metaRuns;
  }
  trackCall(call: TrackCallOptions): Promise<void> {
    return heard(this.services.trackCall(call));
  }

  /** The run is over: nothing of it waits any more, and what it staged is settled. */
  end(outcome: 'succeeded' | 'failed'): void {
    this.#ended = true;
    if (this.#waits) for (const reject of this.#waits) reject(new CancelledByCaller('the run is over'));
    this.#over?.abort(new CancelledByCaller('the run is over'));
    this.#services?.end?.(outcome);
  }

  /** Made again when a person has let it through. */
  async #call(target: string, skill: string, args: Record<string, unknown>, options: CallOptions): Promise<CallResult> {
    const handoffWaits = new Set<string>();
    const calledWaits = new CalledWaits(this.#waiting());
    for (;;) {
      try {
        return await this.services.call(target, skill, args, {
          ...options,
          onWait: (waits) => {
            this.#calledWaits(waits);
            if (!waits) calledWaits.over();
          },
          onAsked: (open) => calledWaits.show(open),
        });
      } catch (error) {
        // Let through is let through: who says so again of the same decision is the other agent, not the
        // platform.
        if (!(error instanceof CallFailed) || error.heldBy === undefined || handoffWaits.has(error.heldBy)) throw error;
        handoffWaits.add(error.heldBy);
        await waitForHandoff(this.#waiting(), error, error.heldBy);
      } finally {
        calledWaits.over();
      }
    }
  }

  /**
   * As if the run itself had asked: its time stands, its caller hears of it, and the platform may take it
   * over. Its call stays open.
   */
  #calledWaits(waits: boolean): void {
    this.#calls += waits ? 1 : -1;
    const { slot } = this.#parts;
    if (this.#ended || this.#calls !== (waits ? 1 : 0)) return;
    if (waits) {
      slot.pause();
      this.#parts.onWait?.();
    } else slot.resume();
    this.send('status', { state: waits ? 'waiting' : 'running', run_id: this.runId, skill: this.skill }).catch(() => undefined);
  }

  async #requestScope(request: ScopeRequest): Promise<Grant> {
    if (!this.#parts.bound.card.policy.allow_scope_expansion) throw new ScopeExpansionNotAllowed(this.skill);
    const workspace = this.#ownWorkspace();
    const timeoutSeconds = request.timeoutSeconds ?? SCOPE_REPLY_TIMEOUT_SECONDS;
    const requestedScope = {
      reason: request.reason,
      read: request.read ?? [],
      writePrefix: request.writePrefix ?? null,
      ttlSeconds: request.ttlSeconds ?? SCOPE_REQUEST_TTL_SECONDS,
      mode: request.mode ?? 'read_only',
    };
    const card = { ...requestedScope, grantId: workspace.grant?.grant_id ?? null };
    const send = (id: string) => this.services.requestScope(id, workspace.token, { ...requestedScope, timeoutSeconds });
    const { held } = await waitForGrant(this.#waiting(), card, timeoutSeconds, send);
    workspace.install(held);
    return held.grant;
  }

  get services(): RunServices {
    return (this.#services ??= this.#parts.platform.attach({
      runId: this.runId,
      requestId: this.requestId,
      agent: this.#parts.agent,
      skill: this.skill,
      signal: this.signal,
      token: this.#parts.origin.runToken,
      owner: this.#parts.owner,
      policy: this.#parts.policy,
      secret: (name) => this.secret(name),
      pending: this.#parts.pending,
    }));
  }

  #ownWorkspace(): RunWorkspace {
    return (this.#workspace ??= new RunWorkspace(
      {
        policy: this.#parts.policy,
        verify: this.#parts.verify,
        services: () => this.services.workspace,
        waitForWrite: (refused) => heard(waitForWrite(this.#waiting(), refused)),
        waitForGrant: (card, timeoutSeconds, send) => heard(waitForGrant(this.#waiting(), card, timeoutSeconds, send)),
      },
      this.#parts.origin.grant,
    ));
  }

  #waiting(): WaitingParts {
    return {
      runId: this.runId,
      skill: this.skill,
      id: this.#parts.id,
      pending: this.#parts.pending,
      verify: this.#parts.verify,
      slot: this.#parts.slot,
      callerAnswers: this.#parts.callerAnswers,
      opened: () => this.#parts.onWait?.(),
      services: () => this.services,
      send: (kind, payload) => this.send(kind, payload),
      unlessStopped: (work) => this.#unlessStopped(work),
    };
  }
}
