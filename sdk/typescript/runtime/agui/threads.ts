// Threads whose run waits: which run it is, what its client was asked, and which event it read last. The run
// lives on its own.
import type { ErrorCode } from '../../../../contract/errors/index.ts';
import { CancelledByCaller } from '../../authoring/errors.ts';
import type { DetachedRun } from '../detached.ts';
import type { Executor } from '../executor.ts';
import { readAnswer, type Question } from '../form.ts';
import type { Owner } from '../owner.ts';
import type { PendingRequest } from '../pending.ts';
import type { Input } from './input.ts';

/** Beyond that the oldest cannot be resumed; their runs end by their own time limits. */
const MAX_WAITING_THREADS = 1000;

/** Sent as RUN_ERROR: the client may try again. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export interface WaitingThread {
  owner: string;
  threadId: string;
  run: DetachedRun;
  /** What the client was asked, by the ids of its interrupts. */
  asked: ReadonlyMap<string, PendingRequest>;
  /** Number of the last event that was sent. */
  from: number;
  tools: ReadonlySet<string>;
}

type Entry = NonNullable<Input['resume']>[number];

export class Threads {
  readonly #executor: Executor;
  readonly #held = new Map<string, WaitingThread>();

  constructor(executor: Executor) {
    this.#executor = executor;
  }

  /** Requests of a run that a client can be shown, oldest first. */
  open(runId: string): PendingRequest[] {
    return this.#executor.pending.open(runId).filter(({ kind }) => kind !== 'handoff' && kind !== 'question_of_others');
  }

  hold(held: WaitingThread): void {
    for (const runId of this.#held.keys()) if (!this.#executor.detached(runId)) this.#held.delete(runId);
    const [oldest] = this.#held.keys();
    if (this.#held.size >= MAX_WAITING_THREADS && oldest !== undefined) this.#held.delete(oldest);
    this.#held.set(held.run.runId, held);
  }

  /**
   * Call it before a new run starts in the thread. Does nothing for callers that cannot be distinguished:
   * they may have chosen the same thread name. @throws Refusal
   */
  checkFree({ threadId }: Input, owner: Owner): void {
    if (owner.shared) return;
    for (const thread of this.#held.values()) {
      if (thread.owner !== owner.key || thread.threadId !== threadId || this.#stillOpen(thread).length === 0) continue;
      throw new Refusal('interrupts_pending', 'this thread waits for answers: send them as "resume"');
    }
  }

  /**
   * The run that the entries belong to, after they were brought to it; nothing is brought where one of them
   * is wrong.
   * @throws Refusal
   */
  resume(input: Input, owner: Owner): WaitingThread {
    const entries = input.resume ?? [];
    const ids = new Set(entries.map(({ interruptId }) => interruptId));
    const thread = [...this.#held.values()].find(
      (one) => one.owner === owner.key && one.threadId === input.threadId && entries.some(({ interruptId }) => one.asked.has(interruptId)),
    );
    if (!thread || !this.#executor.detached(thread.run.runId))
      throw new Refusal('interrupt_unknown', 'no run of this thread waits for that: it has ended, or it was lost');
    if (ids.size < entries.length) throw new Refusal('interrupt_answered_twice', 'answer each interrupt once');
    for (const id of ids) if (!thread.asked.has(id)) throw new Refusal('interrupt_unknown', `this thread has no interrupt ${id.slice(0, 128)}`);
    const left = this.#stillOpen(thread).filter(({ id }) => !ids.has(id));
    if (left.length > 0) throw new Refusal('interrupts_pending', `answer every interrupt; these are missing: ${left.map(({ id }) => id).join(', ')}`);
    const answers = entries.map((entry) => this.#read(thread, entry));
    if (entries.some(({ status }) => status === 'cancelled')) thread.run.stop(new CancelledByCaller());
    else for (const answer of answers) if (answer) this.#executor.pending.answer(answer.id, answer.text);
    return thread;
  }

  /** Undefined: there is nothing to bring. */
  #read(held: WaitingThread, { interruptId: id, status, payload }: Entry): { id: string; text: string } | undefined {
    const request = held.asked.get(id);
    if (!request || status === 'cancelled') return undefined;
    if (!this.#stillOpen(held).includes(request)) {
      const until = request.payload['expires_at'];
      if (typeof until === 'string' && Date.parse(until) <= Date.now()) throw new Refusal('interrupt_expired', `the time to answer ${id} is over`);
      // Answered before, here or at the platform: the client reads what followed.
      return undefined;
    }
    // Access is granted only at the platform.
    if (request.kind !== 'question') return undefined;
    if (payload === undefined || payload === null) throw new Refusal('answer_invalid', `send the answer to ${id} as "payload"`);
    const question = request.payload as Question; // as ask() made it
    const answer = readAnswer(question, question.schema ? payload : plain(payload));
    if ('mistakes' in answer) throw new Refusal('answer_invalid', `the answer to ${id} does not fit its form: ${answer.mistakes}`);
    return { id, text: answer.text };
  }

  #stillOpen({ run, asked }: WaitingThread): PendingRequest[] {
    return this.open(run.runId).filter((request) => asked.get(request.id) === request);
  }
}

/** Clients that show one field may send it as a form. */
function plain(payload: unknown): unknown {
  return typeof payload === 'object' && payload !== null && 'answer' in payload && typeof payload.answer === 'string' ? payload.answer : payload;
}
