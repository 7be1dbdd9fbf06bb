// One run of one skill: the context its handler is given, and the hand that stops it.
import type { z } from 'zod';
import { AgentEvent, EVENT_PAYLOADS, QUESTION_TIMEOUT_SECONDS, RESERVED_EVENT_KINDS, type ArtifactRef, type EventKind } from '../../../contract/wire/events.ts';
import type { Grant } from '../../../contract/wire/grant.ts';
import { requireScopes, type Principal } from '../authoring/auth.ts';
import type { CallOptions, CallResult, Log, RunContext, Sandbox, ScopeRequest, Workspace } from '../authoring/context.ts';
import { ScopeExpansionNotAllowed, type SvcError } from '../authoring/errors.ts';
import type { BoundSkill } from '../authoring/declare.ts';
import type { RunIdentity, RunPlatform } from './platform.ts';

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
  platform: RunPlatform;
}

const DONE = Promise.resolve();

export class Run implements RunContext {
  readonly #parts: RunParts;
  #controller: AbortController | undefined;
  #log: Log | undefined;
  #stopped: SvcError | undefined;
  #onStop: ((error: SvcError) => void) | undefined;
  deadline = Number.POSITIVE_INFINITY;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  get runId(): string {
    return this.#parts.runId;
  }
  get requestId(): string {
    return this.#parts.requestId;
  }
  get skill(): string {
    return this.#parts.bound.id;
  }
  get auth(): Principal {
    return this.#parts.auth;
  }
  get log(): Log {
    this.#log ??= this.#parts.log({ run_id: this.runId, request_id: this.requestId, skill: this.skill });
    return this.#log;
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
  }
  /** The outcome of work, or the reason of a stop that comes first. */
  unlessStopped<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#stopped) reject(this.#stopped);
      this.#onStop = reject;
      work.then(resolve, reject);
    });
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
    if (!this.#parts.sink || this.#stopped) return DONE;
    return this.#parts.sink(kind, payload) ?? DONE;
  }

  writeArtifact(name: string, data: Uint8Array | string, mimeType: string): Promise<ArtifactRef> {
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    return this.#parts.platform.writeArtifact(this.#identity(), name, bytes, mimeType);
  }
  ask(prompt: string, timeoutSeconds = QUESTION_TIMEOUT_SECONDS): Promise<string> {
    return this.#parts.platform.ask(this.#identity(), prompt, timeoutSeconds);
  }
  answer(questionId: string, answer: string): boolean {
    return this.#parts.platform.answer(this.#identity(), questionId, answer);
  }
  call(target: string, skill: string, args: Record<string, unknown>, options: CallOptions = {}): Promise<CallResult> {
    return this.#parts.platform.call(this.#identity(), target, skill, args, options);
  }
  async requestScope(request: ScopeRequest): Promise<Grant> {
    if (!this.#parts.bound.card.policy.allow_scope_expansion) throw new ScopeExpansionNotAllowed(this.skill);
    return await this.#parts.platform.requestScope(this.#identity(), request);
  }
  denyScope(requestId: string, reason: string): boolean {
    return this.#parts.platform.denyScope(this.#identity(), requestId, reason);
  }
  resolveScopeGrant(requestId: string, grantToken: string): boolean {
    return this.#parts.platform.resolveScopeGrant(this.#identity(), requestId, grantToken);
  }
  get workspace(): Workspace {
    return this.#parts.platform.workspace(this.#identity());
  }
  get sandbox(): Sandbox {
    return this.#parts.platform.sandbox(this.#identity());
  }

  #identity(): RunIdentity {
    const { runId, requestId, agent, bound } = this.#parts;
    return { runId, requestId, agent, skill: bound.id, signal: this.signal };
  }
}

function checkEvent(event: AgentEvent): AgentEvent {
  const parsed = AgentEvent.safeParse(event);
  if (!parsed.success) throw new TypeError(`emitEvent: ${parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')}`);
  const { kind, payload } = parsed.data;
  if (!(kind in EVENT_PAYLOADS)) return parsed.data;
  const known = kind as EventKind; // the line above is the check
  if (RESERVED_EVENT_KINDS.includes(known)) throw new TypeError(`emitEvent: "${kind}" is written by the runtime only; choose a kind of your own`);
  const shaped = EVENT_PAYLOADS[known].safeParse(payload);
  if (!shaped.success)
    throw new TypeError(`emitEvent: payload of "${kind}": ${shaped.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')}`);
  return parsed.data;
}
