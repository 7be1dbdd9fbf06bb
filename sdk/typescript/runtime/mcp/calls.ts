// tools/call: a run, its progress, its questions. A client that can ask its person gets the question as the protocol's input-required result and
// comes back with the answer, or on the stream of its call; any other client gets it as text, with a tool to answer it. The run continues in the agent
// meanwhile.
import {
  createRequestStateCodec,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { ProgressPayload } from '../../../../contract/wire/events.ts';
import { CancelledByCaller, SkillNotFound, SvcError } from '../../authoring/errors.ts';
import type { Executor } from '../executor.ts';
import { readAnswer } from '../form.ts';
import { AttendedRun, type Happening, type Question } from './attended.ts';
import { answerOf } from './answer.ts';
import { showsApps } from './apps.ts';
import { ANSWER_TOOL, canElicit, questionRequest } from './asking.ts';
import type { Caller } from './caller.ts';
import { type Elsewhere, elsewhereRequest } from './elsewhere.ts';
import { Elicitations, type Send } from './elicit.ts';
import { HeldRuns } from './held.ts';
import type { CallerLogs } from './logging.ts';
import { mayBegin } from '../origin.ts';
import { QUICK_DECISION_MS } from '../pending.ts';
import { declaresTasks, Tasks } from './tasks.ts';
import { doesNotFit, gone, progressReporter, shownAsForm, text, toAnswer } from './tool-texts.ts';
import { failure, success } from './tools.ts';

const State = z.object({ run: z.string(), wait: z.string() });
type State = z.infer<typeof State>;
const Answer = z.object({ question_id: z.string(), answer: z.string().optional() });

/** As long as a question can be open. */
const STATE_SECONDS = 24 * 3600;
/** A client that answers by itself would be asked forever. */
const MAX_ROUNDS = 10;
/** What ends sooner is not worth coming back for. */
const TASK_AFTER_MS = 500;
/** A call that takes longer gets an acknowledgement at once and is kept alive: the package does that. */
const PLAIN_MS = 1000;

export class ToolCalls {
  readonly #executor: Executor;
  readonly #logs: CallerLogs;
  readonly #held = new HeldRuns();
  readonly tasks: Tasks;
  readonly elicitations = new Elicitations();
  /** Of this process, as the runs are that it finds again. */
  readonly codec = createRequestStateCodec<State>({ key: randomBytes(32), ttlSeconds: STATE_SECONDS });

  constructor(executor: Executor, logs: CallerLogs) {
    this.#executor = executor;
    this.#logs = logs;
    this.tasks = new Tasks(executor, this.#held);
  }

  async call(name: string, args: Record<string, unknown>, caller: Caller, context: ServerContext, send: Send): Promise<CallToolResult | InputRequiredResult> {
    try {
      if (caller.begun) return await this.#attend(caller.begun.runId, caller.begun.run, caller, context, send);
      const state = State.safeParse(context.mcpReq.requestState());
      if (state.success) return await this.#retry(name, state.data, caller, context, send);
      if (name === ANSWER_TOOL && (this.#mayAnswer(caller) || showsApps(context, caller.showsApps))) return await this.#answer(args, caller, context, send);
      return await this.#begin(name, args, caller, context, send);
    } catch (error) {
      if (error instanceof SkillNotFound) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
      if (error instanceof SvcError) return failure(error, caller.requestId);
      throw error;
    }
  }

  /**
   * A call as `call` makes it, as long as it soon and simply ends with a result. Undefined: it does not; then `call` is to be asked, which continues
   * with a run that was begun.
   */
  async plain(name: string, args: Record<string, unknown>, caller: Caller, signal: AbortSignal): Promise<CallToolResult | undefined> {
    if (name === ANSWER_TOOL || !mayBegin(caller.origin)) return undefined;
    try {
      const prepared = await this.#executor.prepare(name, args, caller.auth);
      const run = new AttendedRun(caller.owner.key, name);
      const handle = this.#executor.start(prepared, {
        origin: caller.origin,
        requestId: caller.requestId,
        owner: ownerKey(caller),
        sink: run.sink,
        wrote: run.wrote,
        ...(this.#logs.offered && { logged: run.logged }),
        callerAnswers: true,
      });
      run.follow(handle);
      const leave = (): void => run.stop(new CancelledByCaller());
      signal.addEventListener('abort', leave, { once: true });
      const ended = await run.endsWithin(PLAIN_MS, signal);
      signal.removeEventListener('abort', leave);
      if (!ended) {
        caller.begun = { runId: handle.runId, run };
        return undefined;
      }
      if (signal.aborted) await run.done;
      return success(run.result, run.artifacts, run.inline);
    } catch (error) {
      if (error instanceof SkillNotFound) return undefined;
      if (error instanceof SvcError) return failure(error, caller.requestId);
      throw error;
    }
  }

  /** Callers that cannot be distinguished are matched by a question's id only, so that none sees what others have open. */
  #mayAnswer({ owner }: Caller): boolean {
    return owner.shared || this.#held.ofOwner(owner.key).length > 0;
  }

  /** Never shown to callers that cannot be distinguished. */
  hasQuestionsFor(caller: Caller): boolean {
    if (caller.owner.shared) return false;
    return this.#held.ofOwner(caller.owner.key).some((runId) => this.#openQuestions(runId).length > 0);
  }

  async #begin(name: string, args: Record<string, unknown>, caller: Caller, context: ServerContext, send: Send): Promise<CallToolResult | InputRequiredResult> {
    const prepared = await this.#executor.prepare(name, args, caller.auth);
    if (!mayBegin(caller.origin)) return gone();
    const run = new AttendedRun(caller.owner.key, name);
    const handle = this.#executor.start(prepared, {
      origin: caller.origin,
      requestId: caller.requestId,
      owner: ownerKey(caller),
      sink: run.sink,
      wrote: run.wrote,
      ...(this.#logs.offered && { logged: run.logged }),
      callerAnswers: true,
    });
    run.follow(handle);
    const task = declaresTasks(context) ? await this.#asTask(handle.runId, run, caller, context) : undefined;
    return task ?? (await this.#attend(handle.runId, run, caller, context, send));
  }

  /** Undefined: it has ended, or its client is gone, or there are too many. */
  async #asTask(runId: string, run: AttendedRun, caller: Caller, context: ServerContext): Promise<CallToolResult | undefined> {
    const { signal } = context.mcpReq;
    const leave = (): void => run.stop(new CancelledByCaller());
    signal.addEventListener('abort', leave, { once: true });
    const ended = await run.endsWithin(TASK_AFTER_MS, signal);
    signal.removeEventListener('abort', leave);
    return ended ? undefined : this.tasks.create(runId, run, caller);
  }

  async #retry(name: string, state: State, caller: Caller, context: ServerContext, send: Send): Promise<CallToolResult | InputRequiredResult> {
    const run = this.#held.get(state.run, caller.owner.key);
    if (!run || run.skill !== name) return gone();
    const question = this.#openQuestions(state.run).find(({ question_id }) => question_id === state.wait);
    if (question) {
      const answer = answerOf(question, context.mcpReq.inputResponses?.[question.question_id]);
      if (answer.kind === 'none') return await this.#elicit(state.run, question, answer.mistakes);
      if (answer.kind === 'refused') {
        run.stop(new CancelledByCaller());
        this.#held.release(state.run, run);
        return failure(new CancelledByCaller(), caller.requestId);
      }
      this.#executor.pending.answer(question.question_id, answer.text);
    }
    return await this.#attend(state.run, run, caller, context, send);
  }

  async #answer(args: Record<string, unknown>, caller: Caller, context: ServerContext, send: Send): Promise<CallToolResult | InputRequiredResult> {
    const given = Answer.safeParse(args);
    const shows = showsApps(context, caller.showsApps);
    if (!given.success || (given.data.answer === undefined && !shows)) return text('skill_input_error: send {"question_id": "qst_…", "answer": "…"}', true);
    const asked = this.#held
      .ofOwner(caller.owner.key)
      .flatMap((runId) => this.#openQuestions(runId).map((question) => ({ runId, question })))
      .find(({ question }) => question.question_id === given.data.question_id);
    const run = asked && this.#held.get(asked.runId, caller.owner.key);
    if (!run) return text('not_found: no such question is open; it was answered before, or its time is over', true);
    if (given.data.answer === undefined) return shownAsForm(asked.question);
    const answer = readAnswer(asked.question, given.data.answer);
    if ('mistakes' in answer) return doesNotFit(asked.question, answer.mistakes);
    this.#executor.pending.answer(asked.question.question_id, answer.text);
    return await this.#attend(asked.runId, run, caller, context, send);
  }

  /** Stays with the run until it ends, or until its client must do something. */
  async #attend(runId: string, run: AttendedRun, caller: Caller, context: ServerContext, send: Send): Promise<CallToolResult | InputRequiredResult> {
    const { signal } = context.mcpReq;
    const onProgress = progressReporter(context);
    const onLog = this.#logs.reporter(caller, context);
    let goesOn = false;
    const leave = (): void => {
      goesOn = this.#outlives(runId, context);
      if (goesOn) this.#held.hold(runId, run);
      else run.stop(new CancelledByCaller());
    };
    signal.addEventListener('abort', leave, { once: true });
    const asked = new Map<string, AbortController>();
    const over = (): void => asked.forEach((of, id) => this.#isOpen(runId, id) || of.abort());
    try {
      for (;;) {
        const happening = await run.next({ signal, onProgress, onLog });
        over();
        // The client is gone.
        if (goesOn) return gone();
        if (happening.kind === 'ended') {
          this.#held.release(runId, run);
          if (signal.aborted) await run.done;
          return success(run.result, run.artifacts, run.inline);
        }
        // From now on it may continue without this request: the platform finds it and its outcome.
        run.detach(this.#executor, caller.requestId);
        if (happening.kind === 'question' && caller.asksOnStream && !happening.asText && this.#isOpen(runId, happening.question.question_id)) {
          const until = new AbortController();
          asked.set(happening.question.question_id, until);
          void this.#askOnStream(runId, run, happening.question, caller, send, until.signal);
          continue;
        }
        const told = await this.#tell(runId, run, happening, { context, apps: showsApps(context, caller.showsApps), onProgress });
        if (!told) continue;
        this.#held.hold(runId, run);
        return told;
      }
    } finally {
      signal.removeEventListener('abort', leave);
      asked.forEach((until) => until.abort());
    }
  }

  /**
   * A connection of 2025 that breaks is no cancellation by the protocol: a run that waits for a person continues, and is found by its question. One that
   * does not wait ends, because no client could fetch its result. In 2026 the end of the stream is the cancellation.
   */
  #outlives(runId: string, { mcpReq }: ServerContext): boolean {
    return mcpReq.envelope === undefined && this.#executor.pending.open(runId).length > 0;
  }

  /** Until the question is answered, here or elsewhere. A client that brings no answer that fits reads the question as text. */
  async #askOnStream(runId: string, run: AttendedRun, question: Question, caller: Caller, send: Send, until: AbortSignal): Promise<void> {
    let mistakes: string | undefined;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const outcome = await this.elicitations.ask(send, questionRequest(question, mistakes), caller, until);
      if (outcome.kind === 'over' || !this.#isOpen(runId, question.question_id)) return;
      if (outcome.kind === 'refused') break;
      const answer = answerOf(question, outcome.result);
      if (answer.kind === 'refused') return run.stop(new CancelledByCaller());
      if (answer.kind === 'text') return void this.#executor.pending.answer(question.question_id, answer.text);
      ({ mistakes } = answer);
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
      if (!this.#isOpen(runId, happening.question.question_id)) return undefined;
      return canAsk ? await this.#elicit(runId, happening.question) : toAnswer(happening.question, run.skill, { apps });
    }
    await new Promise((resolve) => setTimeout(resolve, QUICK_DECISION_MS));
    if (!this.#isOpen(runId, happening.id)) return undefined;
    if (canAsk) return await this.#inform(runId, happening);
    onProgress({ message: happening.message });
    return undefined;
  }

  async #elicit(runId: string, question: Question, mistakes?: string): Promise<InputRequiredResult> {
    return inputRequired({
      inputRequests: { [question.question_id]: questionRequest(question, mistakes) },
      requestState: await this.codec.mint({ run: runId, wait: question.question_id }),
    });
  }

  /** The person reads what to do, and the client comes back to wait. */
  async #inform(runId: string, asked: Elsewhere): Promise<InputRequiredResult> {
    return inputRequired({
      inputRequests: { [asked.id]: elsewhereRequest(asked) },
      requestState: await this.codec.mint({ run: runId, wait: asked.id }),
    });
  }

  #openQuestions(runId: string): Question[] {
    return this.#executor.pending.open(runId).flatMap(({ kind, payload }) => (kind === 'question' ? [payload as Question] : [])); // as ask() made it
  }

  #isOpen(runId: string, id: string): boolean {
    return this.#executor.pending.open(runId).some((request) => request.id === id);
  }
}

function ownerKey({ owner }: Caller): string | undefined {
  return owner.shared ? undefined : owner.key;
}
