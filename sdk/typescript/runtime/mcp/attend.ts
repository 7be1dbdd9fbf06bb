// Stays with a run for one request of its client, until it ends or until the client must do something: a
// client that can ask its person gets the question as the protocol's input-required result and comes back
// with the answer, or on the stream of its call; any other client gets it as text.
import { inputRequired, type CallToolResult, type InputRequiredResult, type RequestStateCodec, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { ProgressPayload } from '../../../../contract/wire/events.ts';
import { CancelledByCaller } from '../../authoring/errors.ts';
import type { Executor } from '../executor.ts';
import { QUICK_DECISION_MS } from '../pending.ts';
import { answerOf, inputKey, settle } from './answer.ts';
import { showsApps } from './apps.ts';
import { canElicit, questionRequest } from './asking.ts';
import type { AttendedRun, Happening, Question } from './attended.ts';
import type { Caller } from './caller.ts';
import { type Elicitations, type Send } from './elicit.ts';
import { type Elsewhere, elsewhereRequest } from './elsewhere.ts';
import type { RetainedRuns } from './retained-runs.ts';
import type { RunStore } from './run-store.ts';
import type { CallerLogs } from './logging.ts';
import { gone, progressReporter, toAnswer } from './tool-texts.ts';
import { success } from './tools.ts';

/** `round`: how often the question has been put. */
export const State = z.object({ run: z.string(), wait: z.string(), round: z.int().default(1) });
export type State = z.infer<typeof State>;

/** A question is put to a person so often; then it is text for the model. */
export const MAX_ROUNDS = 3;

interface AttendanceParts {
  executor: Executor;
  logs: CallerLogs;
  held: RetainedRuns;
  store: RunStore;
  elicitations: Elicitations;
  codec: Pick<RequestStateCodec<State>, 'mint'>;
}

export class Attendance {
  readonly #parts: AttendanceParts;

  constructor(parts: AttendanceParts) {
    this.#parts = parts;
  }

  async attend(runId: string, run: AttendedRun, caller: Caller, context: ServerContext, send: Send): Promise<CallToolResult | InputRequiredResult> {
    const { executor, logs, held, store } = this.#parts;
    const { signal } = context.mcpReq;
    const { exchange } = caller;
    const onProgress = progressReporter(context, caller);
    const onLog = logs.reporter(caller, context);
    let goesOn = false;
    const isLast = run.beginAttendance();
    const leave = (): void => {
      const cancelled = exchange?.isCancelled(context.mcpReq.id) === true;
      goesOn = !cancelled && (!isLast() || this.#outlives(runId, context));
      if (!goesOn) run.stop(new CancelledByCaller());
      else if (isLast()) this.#hold(runId, run, caller);
    };
    signal.addEventListener('abort', leave, { once: true });
    // The client may come back for its answer; whoever else can answer a question finds the run meanwhile.
    const left = (): void => {
      if (this.#outlives(runId, context)) this.#hold(runId, run, caller);
      else if (exchange?.resumes) store.add(runId, run, caller);
    };
    exchange?.left.addEventListener('abort', left, { once: true });
    if (exchange?.resumes) run.detach(executor, caller.requestId);
    const questionControllers = new Map<string, AbortController>();
    const over = (): void => questionControllers.forEach((of, id) => this.#isOpen(runId, id) || of.abort());
    try {
      for (;;) {
        const happening = await run.next({ signal, onProgress, onLog, isLast });
        over();
        // The client is gone.
        if (goesOn) return gone();
        if (happening.kind === 'ended') {
          if (signal.aborted) await run.done;
          // Its answer ends the call, and the run's permissions with it.
          await run.writer?.saved();
          held.release(runId, run);
          return success(run.result, run.artifacts, run.inline);
        }
        store.add(runId, run, caller);
        if (happening.kind === 'question' && caller.asksOnStream && !happening.asText && this.#isOpen(runId, happening.question.question_id)) {
          const until = new AbortController();
          questionControllers.set(happening.question.question_id, until);
          void this.#askOnStream(runId, run, happening.question, caller, send, until.signal);
          continue;
        }
        const result = await this.#tell(runId, run, happening, { context, apps: showsApps(context, caller.showsApps), onProgress });
        if (!result) continue;
        this.#hold(runId, run, caller);
        await run.writer?.saved();
        return result;
      }
    } finally {
      signal.removeEventListener('abort', leave);
      exchange?.left.removeEventListener('abort', left);
      questionControllers.forEach((until) => until.abort());
    }
  }

  /**
   * Puts the question once more, with what was wrong with the answer; as text to the model, when it has been
   * put often enough.
   */
  async askAgain(
    runId: string,
    run: AttendedRun,
    question: Question,
    again: { mistakes: string; round: number; apps: boolean },
  ): Promise<CallToolResult | InputRequiredResult> {
    const { mistakes, round, apps } = again;
    await run.writer?.saved();
    return round > MAX_ROUNDS ? toAnswer(question, run.skill, { apps }) : await this.#elicit(runId, question, { mistakes, round });
  }

  openQuestions(runId: string): Question[] {
    return this.#parts.executor.pending.open(runId).flatMap(({ kind, payload }) => (kind === 'question' ? [payload as Question] : [])); // as ask() made it
  }

  /** Its client comes back. */
  #hold(runId: string, run: AttendedRun, caller: Caller): void {
    this.#parts.store.add(runId, run, caller);
    this.#parts.held.hold(runId, run);
  }

  /**
   * A connection of 2025 that breaks is no cancellation by the protocol: a run that waits for a person
   * continues, and is found by its question. One that does not wait ends, once its client can no longer fetch
   * its result. In 2026 the end of the stream is the cancellation.
   */
  #outlives(runId: string, { mcpReq }: ServerContext): boolean {
    return mcpReq.envelope === undefined && this.#parts.executor.pending.open(runId).length > 0;
  }

  /**
   * Until the question is answered, here or elsewhere. A client that brings no answer that fits reads the
   * question as text.
   */
  async #askOnStream(runId: string, run: AttendedRun, question: Question, caller: Caller, send: Send, until: AbortSignal): Promise<void> {
    await run.writer?.saved();
    let mistakes: string | undefined;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const outcome = await this.#parts.elicitations.ask(send, { ...questionRequest(question, mistakes), run: runId }, caller, until);
      if (outcome.kind === 'over' || !this.#isOpen(runId, question.question_id)) return;
      if (outcome.kind === 'refused') break;
      mistakes = settle(this.#parts.executor.pending, run, question, answerOf(question, outcome.result));
      if (mistakes === undefined) return;
    }
    run.putAsText(question);
  }

  /** The result that sends the client away for a while; undefined: nothing for it to do. */
  async #tell(
    runId: string,
    run: AttendedRun,
    happening: Exclude<Happening, { kind: 'ended' }>,
    { context, apps, onProgress }: { context: ServerContext; apps: boolean; onProgress: (payload: ProgressPayload) => unknown },
  ): Promise<CallToolResult | InputRequiredResult | undefined> {
    const canAsk = canElicit(context);
    if (happening.kind === 'question') {
      const { question } = happening;
      if (!this.#isOpen(runId, question.question_id)) return undefined;
      if (!canAsk) return toAnswer(question, run.skill, { apps });
      const early = run.takeEarly(inputKey(question));
      const mistakes = early && settle(this.#parts.executor.pending, run, question, answerOf(question, early.response));
      if (early && mistakes === undefined) return undefined;
      return await this.#elicit(runId, question, { mistakes, round: 1 });
    }
    await new Promise((resolve) => setTimeout(resolve, QUICK_DECISION_MS));
    if (!this.#isOpen(runId, happening.id)) return undefined;
    if (canAsk) return await this.#inform(runId, happening);
    onProgress({ message: happening.message });
    return undefined;
  }

  async #elicit(runId: string, question: Question, { mistakes, round }: { mistakes: string | undefined; round: number }): Promise<InputRequiredResult> {
    return inputRequired({
      inputRequests: { [inputKey(question)]: questionRequest(question, mistakes) },
      requestState: await this.#parts.codec.mint({ run: runId, wait: question.question_id, round }),
    });
  }

  /** The person reads what to do, and the client comes back to wait. */
  async #inform(runId: string, asked: Elsewhere): Promise<InputRequiredResult> {
    return inputRequired({
      inputRequests: { [asked.id]: elsewhereRequest(asked) },
      requestState: await this.#parts.codec.mint({ run: runId, wait: asked.id, round: 1 }),
    });
  }

  #isOpen(runId: string, id: string): boolean {
    return this.#parts.executor.pending.open(runId).some((request) => request.id === id);
  }
}
