// The protocol's operations over our runs. The package's own handler writes a task down only while its
// requester reads along, so that a reader who comes back finds a task that stands still; here a task lives on
// its own, and requests look at it.
import { randomUUID } from 'node:crypto';
import {
  ExtendedAgentCardNotConfiguredError,
  TaskNotCancelableError,
  TaskNotFoundError,
  RequestMalformedError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { TaskState, type AgentCard as A2aCard, type Message, type SendMessageRequest, type StreamResponse } from '@a2a-js/sdk';
import type { AgentCard } from '../../../../contract/wire/card.ts';
import { AgentNotReady, MissingScopes, SkillInputError, SkillNotFound, SvcError } from '../../authoring/errors.ts';
import type { Executor, Prepared } from '../executor.ts';
import { mayBegin } from '../origin.ts';
import { readAnswer, type Question } from '../form.ts';
import { callerIn, type Caller } from './caller.ts';
import { choosing } from './choose.ts';
import type { TaskStore } from './task-store.ts';
import { answerIn, wantedBy } from './message.ts';
import { required, type Push } from './push.ts';
import { isLegacy } from './rpc.ts';
import { runTask } from './run-task.ts';
import { TaskRecord } from './task.ts';
import { Tasks } from './tasks.ts';
import { fromAgent, type Update } from './wire.ts';

export interface HandlerParts {
  card: AgentCard;
  executor: Executor;
  /** Undefined: the agent does not declare it. */
  push: Push | undefined;
  cardAt: (baseUrl: string) => A2aCard;
  store: TaskStore;
}

type Sent = SendMessageRequest & { message: Message };

/** States in which a request that waits has its answer. */
const PAUSED: ReadonlySet<TaskState> = new Set([TaskState.TASK_STATE_INPUT_REQUIRED, TaskState.TASK_STATE_AUTH_REQUIRED]);

export function createHandler({ card, executor, push, cardAt, store }: HandlerParts): A2ARequestHandler {
  const tasks = new Tasks();

  async function known(id: string, context: ServerCallContext): Promise<TaskRecord> {
    if (!id) throw new RequestMalformedError('the id of the task is missing');
    const caller = callerIn(context);
    const task = tasks.get(id, caller.owner.key) ?? (await store.find(id, caller));
    if (!task) throw new TaskNotFoundError(`there is no task ${id}`);
    return task;
  }

  /**
   * The platform leads a request to the machine in which its task runs; one that cannot be reached may be
   * soon.
   */
  async function followable(id: string, context: ServerCallContext): Promise<TaskRecord> {
    const task = await known(id, context);
    if (task.isElsewhere && !task.over) throw new AgentNotReady(`the machine of task ${id} cannot be reached just now`, { retryAfterSeconds: 5 });
    return task;
  }

  function changed(task: TaskRecord, update: Update): void {
    push?.notify(task, update);
    if (update.$case !== 'statusUpdate') return;
    // What may become a message is no task yet.
    if ((!task.mayReply && !task.reply) || task.writer?.isSent === true) task.writer?.changed();
  }

  /** Begins a task, or continues with the one the message names. */
  async function accept(request: SendMessageRequest, context: ServerCallContext): Promise<TaskRecord> {
    const sent = complete(request);
    within(sent.configuration?.historyLength);
    const caller = callerIn(context);
    const task = sent.message.taskId ? goOn(await followable(sent.message.taskId, context), sent.message) : await begin(sent, caller);
    caller.onTask(task);
    const config = sent.configuration?.taskPushNotificationConfig;
    if (push && config) await push.save(task, { ...config, taskId: task.id }, naming(context));
    // It was refused: no run of its own says what became of it.
    if (task.over && task.runId === undefined) await task.writer?.saved();
    return task;
  }

  async function begin(sent: Sent, caller: Caller): Promise<TaskRecord> {
    if (!mayBegin(caller.origin)) throw new RequestMalformedError('the task the message belongs to is not named as the protocol has it: taskId');
    const wanted = wantedBy(card, sent);
    const ids = { id: unguessable(), contextId: sent.message.contextId || unguessable() };
    const task = new TaskRecord(ids, caller.owner.key, 'skill' in wanted ? wanted.skill : 'message', (update, of) => changed(of, update));
    task.addToHistory({ ...sent.message, taskId: ids.id, contextId: ids.contextId });
    const prepared = 'skill' in wanted ? await prepare(wanted.skill, wanted.args, caller) : choosing(executor, card, wanted, caller.auth);
    tasks.add(task);
    if (prepared instanceof SvcError)
      task.setStatus(TaskState.TASK_STATE_REJECTED, fromAgent(task, `${prepared.code}: ${prepared.message}`), { code: prepared.code });
    else runTask(executor, task, prepared, caller);
    store.add(task, executor, caller);
    if (!task.mayReply) task.writer?.changed();
    return task;
  }

  /**
   * @throws RequestMalformedError for what the caller can mend; a refusal of the agent's own is the task's
   * end
   */
  async function prepare(skill: string, args: unknown, caller: Caller): Promise<Prepared | MissingScopes> {
    try {
      return await executor.prepare(skill, args, caller.auth);
    } catch (error) {
      if (error instanceof MissingScopes) return error;
      if (error instanceof SkillNotFound) throw new RequestMalformedError(error.message);
      if (error instanceof SkillInputError) {
        const issues = error.issues.map(({ path, message }) => `${path.join('.') || '(top)'}: ${message}`);
        throw new RequestMalformedError(`${error.message}: ${issues.join('; ')}`);
      }
      throw error;
    }
  }

  /** A message to a task that waits answers its question. */
  function goOn(task: TaskRecord, message: Message): TaskRecord {
    if (task.over) throw new UnsupportedOperationError(`task ${task.id} is over; send a message without its id to begin another`);
    if (message.contextId && message.contextId !== task.contextId) throw new RequestMalformedError(`task ${task.id} belongs to another context`);
    const open = task.runId === undefined ? [] : executor.pending.open(task.runId).filter(({ kind }) => kind === 'question');
    const named = message.metadata?.['questionId'];
    const question = named === undefined ? open[0] : open.find(({ id }) => id === named);
    if (!question && task.state === TaskState.TASK_STATE_AUTH_REQUIRED)
      throw new UnsupportedOperationError('access is given at the platform, not by a message');
    if (!question) throw new UnsupportedOperationError(`task ${task.id} has not asked anything; wait for it, or cancel it`);
    const questionPayload = question.payload as Question; // as ask() made it
    const given = answerIn(message, questionPayload.schema);
    if (given === undefined) throw new RequestMalformedError('send the answer as a text part, or as a data part');
    const answer = readAnswer(questionPayload, given);
    if ('mistakes' in answer) throw new RequestMalformedError(`the answer does not fit the form: ${answer.mistakes}`);
    task.addToHistory({ ...message, taskId: task.id, contextId: task.contextId });
    task.setStatus(TaskState.TASK_STATE_WORKING);
    executor.pending.answer(question.id, answer.text);
    return task;
  }

  /** The platform has the addresses of a task that is elsewhere. */
  async function withPushes(taskId: string, context: ServerCallContext): Promise<TaskRecord> {
    const task = await known(taskId, context);
    if (task.isElsewhere) required(push).restore(task, await store.pushes(task, callerIn(context)));
    return task;
  }

  /** The message a task turned out not to be needed for. */
  async function replied(task: TaskRecord, gone: AbortSignal): Promise<Message | undefined> {
    if (task.mayReply) for await (const _update of task.follow(gone).read()) if (!task.mayReply) break;
    if (task.reply) tasks.drop(task);
    return task.reply;
  }

  return {
    getAgentCard: () => Promise.resolve(cardAt('')),
    getAuthenticatedExtendedAgentCard: (_request, context) => Promise.reject(noExtendedCard(context)),

    async sendMessage(request, context) {
      const { gone } = callerIn(context);
      const task = await accept(request, context);
      if (!request.configuration?.returnImmediately) await settled(task, gone);
      const reply = await replied(task, gone);
      // The client comes back for it, perhaps to another machine; of one that is over at once its run's end
      // is awaited, before which it is written.
      if (!reply && (!task.over || task.writer?.isSent === true)) await task.writer?.saved();
      return reply ?? task.snapshot({ historyLength: request.configuration?.historyLength });
    },

    async *sendMessageStream(request, context) {
      const { gone } = callerIn(context);
      const task = await accept(request, context);
      const reply = await replied(task, gone);
      if (reply) yield { payload: { $case: 'message', value: reply } };
      else yield* followed(task, gone, request.configuration?.historyLength);
    },

    async *resubscribe({ id }, context) {
      const task = await followable(id, context);
      if (task.over) throw new UnsupportedOperationError(`task ${id} is over; get it instead`);
      const { gone } = callerIn(context);
      callerIn(context).onTask(task);
      const feed = task.follow(gone);
      yield { payload: { $case: 'task', value: task.snapshot() } };
      for await (const update of feed.read()) yield { payload: update };
    },

    getTask: async ({ id, historyLength }, context) => (await known(id, context)).snapshot({ historyLength: within(historyLength) }),

    listTasks: async (request, context) => {
      const { owner } = callerIn(context);
      within(request.historyLength);
      if (owner.shared) return { tasks: [], nextPageToken: '', pageSize: request.pageSize ?? 50, totalSize: 0 };
      return (await store.list(request, callerIn(context), tasks)) ?? tasks.list(request, owner.key);
    },

    async cancelTask({ id }, context) {
      const task = await followable(id, context);
      if (task.over) {
        // For 0.3 a cancelled task is as little cancelable as any that is over (8.2); 1.0 has the same effect
        // again (3.3.1).
        if (task.state === TaskState.TASK_STATE_CANCELED && !isLegacy(context.requestedVersion)) return task.snapshot();
        throw new TaskNotCancelableError(`task ${id} is over`);
      }
      task.stop();
      await ended(task, callerIn(context).gone);
      if (task.state !== TaskState.TASK_STATE_CANCELED) throw new TaskNotCancelableError(`task ${id} ended before it was cancelled`);
      return task.snapshot();
    },

    createTaskPushNotificationConfig: async (config, context) => required(push).save(await known(config.taskId, context), config, naming(context)),
    getTaskPushNotificationConfig: async ({ taskId, id }, context) => required(push).get(await withPushes(taskId, context), id),
    listTaskPushNotificationConfigs: async ({ taskId }, context) => ({
      configs: required(push).list(await withPushes(taskId, context)),
      nextPageToken: '',
    }),
    deleteTaskPushNotificationConfig: async ({ taskId, id }, context) => required(push).remove(await known(taskId, context), id, naming(context)),
  };
}

/**
 * An anonymous caller finds a task only by its id. Node's store of random bytes would be the same in each
 * clone of a snapshot.
 */
function unguessable(): string {
  return randomUUID({ disableEntropyCache: true });
}

function naming(context: ServerCallContext): { version: string; namedBy: string | undefined; requestId: string } {
  const { origin, requestId } = callerIn(context);
  return { version: context.requestedVersion, namedBy: origin.runToken, requestId };
}

function noExtendedCard({ requestedVersion }: ServerCallContext): Error {
  const message = 'this agent has one card for all callers: /.well-known/agent-card.json';
  return isLegacy(requestedVersion) ? new ExtendedAgentCardNotConfiguredError(message) : new UnsupportedOperationError(message);
}

function within(historyLength: number | undefined): number | undefined {
  if (historyLength !== undefined && (!Number.isInteger(historyLength) || historyLength < 0))
    throw new RequestMalformedError('historyLength must be a whole number, 0 or more');
  return historyLength;
}

/** Sends the task, then its updates, until it is over or waits for its caller. */
async function* followed(task: TaskRecord, gone: AbortSignal, historyLength: number | undefined): AsyncGenerator<StreamResponse, void, undefined> {
  const feed = task.follow(gone);
  // At one moment: what comes later is in the feed.
  const done = task.over || task.state === TaskState.TASK_STATE_INPUT_REQUIRED;
  yield { payload: { $case: 'task', value: task.snapshot({ historyLength }) } };
  if (done) return feed.end();
  for await (const update of feed.read()) {
    yield { payload: update };
    if (stateOf(update) === TaskState.TASK_STATE_INPUT_REQUIRED) return;
  }
}

/** Resolves when the task is over, or waits for a person. */
async function settled(task: TaskRecord, gone: AbortSignal): Promise<void> {
  if (task.over || PAUSED.has(task.state)) return;
  for await (const update of task.follow(gone).read()) {
    const state = stateOf(update);
    if (state !== undefined && PAUSED.has(state)) return;
  }
}

async function ended(task: TaskRecord, gone: AbortSignal): Promise<void> {
  for await (const _update of task.follow(gone).read()) if (task.over) return;
}

function stateOf(update: Update): TaskState | undefined {
  return update.$case === 'statusUpdate' ? update.value.status?.state : undefined;
}

function complete(request: SendMessageRequest): Sent {
  const { message } = request;
  if (!message?.messageId) throw new RequestMalformedError('message.messageId is missing');
  if (message.parts.length === 0) throw new RequestMalformedError('the message has no parts');
  return { ...request, message };
}
