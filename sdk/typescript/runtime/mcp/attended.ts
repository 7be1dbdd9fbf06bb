// A run its client attends: it reads what happens, may go to fetch an answer from a person, and comes back to
// the same run.
import type { z } from 'zod';
import { ArtifactRef, PlatformWaitPayload, ProgressPayload, QuestionPayload, ScopeRequestPayload } from '../../../../contract/wire/events.ts';
import type { SvcError } from '../../authoring/errors.ts';
import type { Executor, RunHandle } from '../executor.ts';
import type { EventSink } from '../run.ts';
import type { TaskWriter } from '../task-writer.ts';
import { accessOf, type Elsewhere, waitOf } from './elsewhere.ts';

export type Question = z.infer<typeof QuestionPayload>;

/** What the client has to know next. */
export type Happening = { kind: 'question'; question: Question; asText?: true } | ({ kind: 'elsewhere' } & Elsewhere) | { kind: 'ended' };

export interface Attending {
  signal: AbortSignal;
  onProgress(payload: ProgressPayload): Promise<void> | undefined;
  onLog(line: string): void;
  /** Of `beginAttendance`: only the last one gets news. */
  isLast(): boolean;
}

/** Of one run's files, in its result: it is read by a model. */
const MAX_INLINE_BYTES = 512 * 1024;

export class AttendedRun {
  readonly owner: string;
  readonly skill: string;
  readonly artifacts: ArtifactRef[] = [];
  readonly inline = new Map<string, Uint8Array>();
  #inlineLeft = MAX_INLINE_BYTES;
  /** Its client has its id and polls it. */
  isTask = false;
  /** Writes it to the platform; undefined: it lives only here. */
  writer: TaskWriter | undefined;
  readonly createdAt = new Date().toISOString();
  changedAt = this.createdAt;
  /** What the skill last reported of its progress. */
  lastWord: string | undefined;
  /** Of open questions by their ids: why the last answer did not do. */
  readonly mistakes = new Map<string, string>();
  /** Never rejects: the run's outcome is looked at with `outcome`. */
  readonly done: Promise<void>;
  #handle: RunHandle | undefined;
  #outcome: { value: unknown } | { error: unknown } | undefined;
  #news: Happening[] = [];
  /** Of those that attend it: one whose client left may still have its time, when another takes over. */
  readonly #wakes = new Set<() => void>();
  #attendance = 0;
  #attending: Attending | undefined;
  readonly #settled = Promise.withResolvers<void>();

  /** What the client answered before it was asked, by the names of questions. */
  readonly #early: Map<string, unknown>;

  constructor(owner: string, skill: string, early: Readonly<Record<string, unknown>> = {}) {
    this.owner = owner;
    this.skill = skill;
    this.#early = new Map(Object.entries(early));
    this.done = this.#settled.promise;
  }

  readonly sink: EventSink = (kind, payload) => {
    switch (kind) {
      case 'artifact':
        this.artifacts.push(ArtifactRef.parse(payload));
        return undefined;
      case 'progress': {
        const progress = ProgressPayload.parse(payload);
        this.lastWord = progress.message;
        this.touch();
        return this.#attending?.onProgress(progress);
      }
      case 'question':
        return this.#tell({ kind: 'question', question: QuestionPayload.parse(payload) });
      case 'scope_request':
        return this.#tell({ kind: 'elsewhere', ...accessOf(ScopeRequestPayload.parse(payload)) });
      case 'platform_wait':
        return this.#tell({ kind: 'elsewhere', ...waitOf(PlatformWaitPayload.parse(payload)) });
      default:
        return undefined;
    }
  };

  /** What its skill logs; a caller who does not read it now does not get it later. */
  readonly logged = (line: string): void => this.#attending?.onLog(line);

  /** Small files are kept, to go into the result itself. */
  readonly wrote = ({ uri }: ArtifactRef, data: Uint8Array): void => {
    if (data.byteLength > this.#inlineLeft) return;
    this.#inlineLeft -= data.byteLength;
    this.inline.set(uri, data);
  };

  /** Once: a second question of that name is asked. */
  takeEarly(key: string): { response: unknown } | undefined {
    if (!this.#early.has(key)) return undefined;
    const response = this.#early.get(key);
    this.#early.delete(key);
    return { response };
  }

  /** The question could not be put to a person by a form: its client reads it. */
  putAsText(question: Question): void {
    this.#tell({ kind: 'question', question, asText: true });
  }

  follow(handle: RunHandle): void {
    this.#handle = handle;
    const { result } = handle;
    const over = (outcome: { value: unknown } | { error: unknown }): void => {
      this.#outcome = outcome;
      this.touch();
      this.writer?.changed();
      this.#wake();
      this.#settled.resolve();
    };
    result.then(
      (value) => over({ value }),
      (error: unknown) => over({ error }),
    );
  }

  stop(reason: SvcError): void {
    this.#handle?.stop(reason);
  }

  /** Its client goes away for a while, and who else follows it can still read how it ends. */
  detach(executor: Executor, requestId: string): void {
    if (this.#handle) executor.detach(this.#handle, this.skill, requestId);
  }

  get ended(): boolean {
    return this.#outcome !== undefined;
  }

  touch(): void {
    this.changedAt = new Date().toISOString();
  }

  /** The result; throws what the run failed with. Only after it has ended. */
  get result(): unknown {
    if (!this.#outcome) throw new Error('the run has not ended');
    if ('error' in this.#outcome) throw this.#outcome.error;
    return this.#outcome.value;
  }

  /**
   * To be called when a request begins to attend it. @returns whether that one still is the last to do so,
   * which decides for the run
   */
  beginAttendance(): () => boolean {
    const mine = (this.#attendance += 1);
    return () => this.#attendance === mine;
  }

  /** What to send next; `ended` also when the client has gone. */
  async next(attending: Attending): Promise<Happening> {
    this.#attending = attending;
    try {
      const hasNews = (): boolean => this.#news.length > 0 && attending.isLast();
      while (!this.#outcome && !hasNews() && !attending.signal.aborted) await this.#change(attending.signal);
      // What the person was asked before the run ended does not matter any more.
      const news = this.#outcome || !hasNews() ? undefined : this.#news.shift();
      return news ?? { kind: 'ended' };
    } finally {
      if (this.#attending === attending) this.#attending = undefined;
    }
  }

  /**
   * True once it has ended or its client is gone; false when there is news of another kind, or nothing at all
   * within `ms`.
   */
  async endsWithin(ms: number, signal: AbortSignal): Promise<boolean> {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.#wake();
    }, ms);
    while (!this.#outcome && this.#news.length === 0 && !signal.aborted && !late) await this.#change(signal);
    clearTimeout(timer);
    return this.#outcome !== undefined || signal.aborted;
  }

  #change(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => {
      this.#wakes.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    this.#wakes.add(wake);
    signal.addEventListener('abort', wake, { once: true });
    return promise;
  }

  #wake(): void {
    for (const wake of this.#wakes) wake();
  }

  #tell(happening: Happening): undefined {
    this.#news.push(happening);
    this.touch();
    this.writer?.changed();
    this.#wake();
    return undefined;
  }
}
