// Runs as tasks (extension io.modelcontextprotocol/tasks): a run that takes longer is answered by its id, and
// the client polls it, answers its questions, or cancels it. A task is the run itself, by the run's id. The
// platform stores it for every version of the agent; without one it exists as long as the agent's process.
import {
  CLIENT_CAPABILITIES_META_KEY,
  type inputRequired,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { CancelledByCaller } from '../../authoring/errors.ts';
import type { Executor } from '../executor.ts';
import { answerOf, inputKey, settle } from './answer.ts';
import { canElicit, questionRequest, toAnswerText } from './asking.ts';
import type { AttendedRun, Question } from './attended.ts';
import type { Caller } from './caller.ts';
import { type Elsewhere, elsewhereIn, elsewhereRequest } from './elsewhere.ts';
import { TASK_RETENTION_MS, type RetainedRuns } from './retained-runs.ts';
import type { StoredRun, RunStore } from './run-store.ts';
import { outcomeOf } from './outcome.ts';

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** A client that looks more often learns nothing sooner. */
const POLL_MS = 1000;

const ById = z.looseObject({ taskId: z.string().max(200) });

type Fields = Record<string, unknown>;
type InputRequests = Record<string, ReturnType<typeof inputRequired.elicit>>;

export class Tasks {
  readonly #executor: Executor;
  readonly #held: RetainedRuns;
  readonly #store: RunStore;

  constructor(executor: Executor, held: RetainedRuns, store: RunStore) {
    this.#executor = executor;
    this.#held = held;
    this.#store = store;
  }

  /** The run continues without its client. Undefined: no room to keep it as long as a task is promised. */
  async create(runId: string, run: AttendedRun, caller: Caller): Promise<CallToolResult | undefined> {
    if (!this.#held.roomForTask) return undefined;
    run.isTask = true;
    this.#held.hold(runId, run);
    this.#store.add(runId, run, caller);
    await run.writer?.saved();
    // The package knows no result of this type; it passes what it does not know.
    return { resultType: 'task', ...facts(runId, run), status: 'working', content: [] };
  }

  /** The methods of the extension, for one caller. */
  serve(server: Server, caller: Caller): void {
    server.setRequestHandler('tasks/get', { params: ById }, async ({ taskId }, context) => {
      const run = await this.#find(taskId, caller, context);
      return isHere(run) ? this.#get(taskId, run, caller, context) : elsewhere(run);
    });
    server.setRequestHandler('tasks/update', { params: ById }, async ({ taskId }, context) => {
      const run = reachable(await this.#find(taskId, caller, context));
      // The package has taken the answers out of the parameters, as it does for every method.
      return run ? this.#update(taskId, run, { ...context.mcpReq.inputResponses }) : {};
    });
    server.setRequestHandler('tasks/cancel', { params: ById }, async ({ taskId }, context) => {
      reachable(await this.#find(taskId, caller, context))?.stop(new CancelledByCaller());
      return {};
    });
  }

  /** @throws ProtocolError for an unknown task and, alike, for another caller's */
  async #find(taskId: string, caller: Caller, context: ServerContext): Promise<AttendedRun | StoredRun> {
    if (!declaresTasks(context)) throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } });
    const run = this.#held.get(taskId, caller.owner.key) ?? (await this.#store.find(taskId, caller));
    if (!run?.isTask) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'there is no such task, or its time is over: call the tool again');
    return run;
  }

  #get(taskId: string, run: AttendedRun, caller: Caller, context: ServerContext): Fields {
    const base = facts(taskId, run);
    if (run.ended) return { ...base, ...outcomeOf(run, caller.requestId) };
    const { questions, elsewhere } = this.#open(taskId);
    if (questions.length + elsewhere.length === 0) return { ...base, status: 'working', ...(run.lastWord !== undefined && { statusMessage: run.lastWord }) };
    if (!canElicit(context))
      return {
        ...base,
        status: 'working',
        statusMessage: [...questions.map(toAnswerText(run.skill)), ...elsewhere.map(({ message }) => message)].join('\n\n'),
      };
    const inputRequests: InputRequests = {};
    for (const question of questions) inputRequests[inputKey(question)] = questionRequest(question, run.mistakes.get(question.question_id));
    for (const one of elsewhere) inputRequests[one.id] = elsewhereRequest(one);
    return { ...base, status: 'input_required', inputRequests };
  }

  /**
   * What answers nothing that is open is passed over: it was answered before, perhaps by this very request.
   */
  #update(taskId: string, run: AttendedRun, responses: Record<string, unknown>): Fields {
    for (const question of this.#open(taskId).questions) {
      if (!Object.hasOwn(responses, inputKey(question))) continue;
      const mistakes = settle(this.#executor.pending, run, question, answerOf(question, responses[inputKey(question)]));
      if (mistakes !== undefined) run.mistakes.set(question.question_id, mistakes);
      run.touch();
    }
    return {};
  }

  #open(runId: string): { questions: Question[]; elsewhere: Elsewhere[] } {
    const open = this.#executor.pending.open(runId);
    return {
      questions: open.flatMap(({ kind, payload }) => (kind === 'question' ? [payload as Question] : [])), // as ask() made it
      elsewhere: elsewhereIn(open),
    };
  }
}

export function declaresTasks({ mcpReq }: ServerContext): boolean {
  const envelope: Record<string, unknown> = { ...mcpReq.envelope };
  return z.object({ extensions: z.object({ [TASKS_EXTENSION]: z.looseObject({}) }) }).safeParse(envelope[CLIENT_CAPABILITIES_META_KEY]).success;
}

function isHere(run: AttendedRun | StoredRun): run is AttendedRun {
  return !('runId' in run);
}

/**
 * Undefined: it is over. @throws ProtocolError while its machine cannot be reached; the platform leads
 * requests there
 */
function reachable(run: AttendedRun | StoredRun): AttendedRun | undefined {
  if (isHere(run)) return run;
  if (run.outcome === null) throw new ProtocolError(ProtocolErrorCode.InternalError, 'the machine of this task cannot be reached just now: try again');
  return undefined;
}

function elsewhere(run: StoredRun): Fields {
  return { ...facts(run.runId, run), ...(run.outcome ?? { status: 'working' }) };
}

function facts(taskId: string, run: Pick<AttendedRun, 'createdAt' | 'changedAt'>): Fields {
  return { taskId, createdAt: run.createdAt, lastUpdatedAt: run.changedAt, ttlMs: TASK_RETENTION_MS, pollIntervalMs: POLL_MS };
}
