// tools/call: begins a run, or finds the one that its client comes back to. How the client attends it:
// attend.ts.
import {
  createRequestStateCodec,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type InputRequiredResult,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { MAX_TASK_SECONDS } from '../../../../contract/run/protocol-tasks.ts';
import { CancelledByCaller, SkillNotFound, SvcError } from '../../authoring/errors.ts';
import type { Executor } from '../executor.ts';
import { readAnswer } from '../form.ts';
import { AttendedRun } from './attended.ts';
import { answerOf, inputKey, settle } from './answer.ts';
import { showsApps } from './apps.ts';
import { ANSWER_TOOL } from './asking.ts';
import { Attendance, State } from './attend.ts';
import type { Caller } from './caller.ts';
import type { PromptState } from './prompt-form.ts';
import { Elicitations, type Send } from './elicit.ts';
import { RetainedRuns } from './retained-runs.ts';
import { RunStore, resultOf } from './run-store.ts';
import type { CallerLogs } from './logging.ts';
import { mayBegin } from '../origin.ts';
import type { RunPlatform } from '../platform.ts';
import { declaresTasks, Tasks } from './tasks.ts';
import { doesNotFit, gone, shownAsForm, text } from './tool-texts.ts';
import { failure, success } from './tools.ts';

const Answer = z.object({ question_id: z.string(), answer: z.string().optional() });

/** What ends sooner is not worth coming back for. */
const TASK_AFTER_MS = 500;
/** A call that takes longer gets an acknowledgement at once and is kept alive: the package does that. */
const PLAIN_MS = 1000;

export class ToolCalls {
  readonly #executor: Executor;
  readonly #logs: CallerLogs;
  readonly #held = new RetainedRuns();
  readonly tasks: Tasks;
  readonly elicitations = new Elicitations();
  readonly #store: RunStore;
  readonly codec: RequestStateCodec<State | PromptState>;
  readonly #attendance: Attendance;

  constructor(executor: Executor, logs: CallerLogs, parts: ConstructorParameters<typeof RunStore>[1]) {
    this.#executor = executor;
    this.#logs = logs;
    this.#store = new RunStore(executor, parts);
    this.tasks = new Tasks(executor, this.#held, this.#store);
    this.codec = createRequestStateCodec<State | PromptState>({ key: stateKey(parts), ttlSeconds: MAX_TASK_SECONDS });
    const { elicitations, codec } = this;
    this.#attendance = new Attendance({ executor, logs, held: this.#held, store: this.#store, elicitations, codec });
  }

  async call(name: string, args: Record<string, unknown>, caller: Caller, context: ServerContext, send: Send): Promise<CallToolResult | InputRequiredResult> {
    try {
      if (caller.begun) return await this.#attendance.attend(caller.begun.runId, caller.begun.run, caller, context, send);
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
   * A call as `call` makes it, as long as it soon and simply ends with a result. Undefined: it does not; then
   * `call` is to be asked, which continues with a run that was begun.
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

  /**
   * Callers that cannot be distinguished are matched by a question's id only, so that none sees what others
   * have open.
   */
  #mayAnswer({ owner }: Caller): boolean {
    return owner.shared || this.#held.ofOwner(owner.key).length > 0;
  }

  /** Never shown to callers that cannot be distinguished. */
  async hasQuestionsFor(caller: Caller): Promise<boolean> {
    if (caller.owner.shared) return false;
    if (this.#held.ofOwner(caller.owner.key).some((runId) => this.#attendance.openQuestions(runId).length > 0)) return true;
    return await this.#store.hasQuestionsFor(caller);
  }

  async #begin(name: string, args: Record<string, unknown>, caller: Caller, context: ServerContext, send: Send): Promise<CallToolResult | InputRequiredResult> {
    const prepared = await this.#executor.prepare(name, args, caller.auth);
    if (!mayBegin(caller.origin)) return gone();
    const run = new AttendedRun(caller.owner.key, name, context.mcpReq.inputResponses);
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
    return task ?? (await this.#attendance.attend(handle.runId, run, caller, context, send));
  }

  /** Undefined: it has ended, or its client is gone, or there are too many. */
  async #asTask(runId: string, run: AttendedRun, caller: Caller, context: ServerContext): Promise<CallToolResult | undefined> {
    const { signal } = context.mcpReq;
    const leave = (): void => run.stop(new CancelledByCaller());
    signal.addEventListener('abort', leave, { once: true });
    const ended = await run.endsWithin(TASK_AFTER_MS, signal);
    signal.removeEventListener('abort', leave);
    return ended ? undefined : await this.tasks.create(runId, run, caller);
  }

  async #retry(name: string, state: State, caller: Caller, context: ServerContext, send: Send): Promise<CallToolResult | InputRequiredResult> {
    const run = this.#held.get(state.run, caller.owner.key);
    if (!run) return await this.#ended(name, state, caller);
    if (!goesOnAs(name, run)) return gone();
    const question = this.#attendance.openQuestions(state.run).find(({ question_id }) => question_id === state.wait);
    if (question) {
      const answer = answerOf(question, context.mcpReq.inputResponses?.[inputKey(question)]);
      const mistakes = settle(this.#executor.pending, run, question, answer);
      const again = { round: state.round + 1, apps: showsApps(context, caller.showsApps) };
      if (mistakes !== undefined) return await this.#attendance.askAgain(state.run, run, question, { mistakes, ...again });
      if (answer.kind === 'dismissed') {
        this.#held.release(state.run, run);
        return failure(new CancelledByCaller(), caller.requestId);
      }
    }
    return await this.#attendance.attend(state.run, run, caller, context, send);
  }

  /** Of a run that is not here: what came of it. */
  async #ended(name: string, state: State, caller: Caller): Promise<CallToolResult> {
    const run = await this.#store.find(state.run, caller);
    return (run && goesOnAs(name, run) ? resultOf(run) : undefined) ?? gone();
  }

  async #answer(args: Record<string, unknown>, caller: Caller, context: ServerContext, send: Send): Promise<CallToolResult | InputRequiredResult> {
    const given = Answer.safeParse(args);
    const shows = showsApps(context, caller.showsApps);
    if (!given.success || (given.data.answer === undefined && !shows)) return text('skill_input_error: send {"question_id": "qst_…", "answer": "…"}', true);
    const openQuestion = this.#held
      .ofOwner(caller.owner.key)
      .flatMap((runId) => this.#attendance.openQuestions(runId).map((question) => ({ runId, question })))
      .find(({ question }) => question.question_id === given.data.question_id);
    const run = openQuestion && this.#held.get(openQuestion.runId, caller.owner.key);
    if (!run) return text('not_found: no such question is open; it was answered before, or its time is over', true);
    if (given.data.answer === undefined) return shownAsForm(openQuestion.question);
    const answer = readAnswer(openQuestion.question, given.data.answer);
    if ('mistakes' in answer) return doesNotFit(openQuestion.question, answer.mistakes);
    this.#executor.pending.answer(openQuestion.question.question_id, answer.text);
    return await this.#attendance.attend(openQuestion.runId, run, caller, context, send);
  }
}

/** What was answered as text goes on with a question that is not. */
function goesOnAs(name: string, { skill }: Pick<AttendedRun, 'skill'>): boolean {
  return name === skill || name === ANSWER_TOOL;
}

/**
 * The same for every version of the agent, where a platform gives it keys; else of this process, as the runs
 * are that it finds again.
 */
function stateKey({ platform, agent }: { platform: RunPlatform; agent: string }): Uint8Array {
  const key = platform.grantKey(agent);
  return key ? createHmac('sha256', key).update('state of MCP requests').digest() : randomBytes(32);
}

function ownerKey({ owner }: Caller): string | undefined {
  return owner.shared ? undefined : owner.key;
}
