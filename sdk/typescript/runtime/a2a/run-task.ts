// A run's events, as updates of its task.
import { Message as MessageCodec, TaskState } from '@a2a-js/sdk';
import {
  ArtifactRef,
  ErrorPayload,
  PlatformWaitPayload,
  ProgressPayload,
  QuestionPayload,
  ScopeRequestPayload,
  StatusPayload,
  TextDeltaPayload,
  ToolPayload,
} from '../../../../contract/wire/events.ts';
import { CancelledByCaller, issuesIn, MissingScopes, SkillOutputError, SvcError } from '../../authoring/errors.ts';
import { messageParts, takesMessage } from '../../authoring/task-message.ts';
import { aboutAccess, aboutWait } from '../called-waits.ts';
import type { Executor, Prepared, RunHandle } from '../executor.ts';
import { toJson } from '../final-event.ts';
import type { Caller } from './caller.ts';
import type { TaskRecord } from './task.ts';
import { artifact, camelCased, fromAgent, urlPart, valuePart } from './wire.ts';

/** What a task may hold; a skill with more to say writes artifacts. */
const MAX_TASK_BYTES = 8 * 1024 * 1024;

export function runTask(executor: Executor, task: TaskRecord, prepared: Prepared, caller: Caller): void {
  let run: RunHandle;
  const speaks = takesMessage(prepared.bound.card.input_schema);
  task.mayReply = speaks;
  const sink = (kind: string, payload: object): undefined => {
    tell(task, kind, payload);
    if (task.bytes > MAX_TASK_BYTES) run.stop(new SkillOutputError(`the task holds more than ${MAX_TASK_BYTES} bytes: write artifacts instead`));
    return undefined;
  };
  try {
    run = executor.start(prepared, { origin: caller.origin, requestId: caller.requestId, sink, callerAnswers: true });
  } catch (error) {
    // Busy, or shutting down.
    return fail(task, error);
  }
  task.runId = run.runId;
  task.setMetadata({ runId: run.runId });
  task.stop = () => run.stop(new CancelledByCaller());
  run.result.then(
    (value) => succeed(task, value, speaks),
    (error: unknown) => fail(task, error),
  );
}

function tell(task: TaskRecord, kind: string, payload: object): void {
  switch (kind) {
    case 'status': {
      const { state } = StatusPayload.parse(payload);
      if (state === 'running' && task.state !== TaskState.TASK_STATE_WORKING) task.setStatus(TaskState.TASK_STATE_WORKING);
      return;
    }
    case 'progress': {
      const { message, ...done } = ProgressPayload.parse(payload);
      return working(task, message, { kind, ...done });
    }
    case 'tool': {
      const { name, phase, summary } = ToolPayload.parse(payload);
      return working(task, summary ?? `${name}: ${phase}`, { kind, ...camelCased(payload) });
    }
    case 'error':
      return working(task, ErrorPayload.parse(payload).message, { kind, ...payload });
    case 'text_delta':
      return task.appendText(TextDeltaPayload.parse(payload).text);
    case 'artifact': {
      const { name, uri, mime_type, size_bytes } = ArtifactRef.parse(payload);
      return task.addArtifact(artifact(crypto.randomUUID(), name, [urlPart(uri, name, mime_type)], { sizeBytes: size_bytes }));
    }
    case 'question': {
      const { prompt, ...asked } = QuestionPayload.parse(payload);
      const about = camelCased(asked);
      const message = fromAgent(task, prompt, about);
      task.addToHistory(message);
      return task.setStatus(TaskState.TASK_STATE_INPUT_REQUIRED, message, about);
    }
    case 'scope_request': {
      const request = ScopeRequestPayload.parse(payload);
      const message = fromAgent(task, aboutAccess(request), camelCased(request));
      return task.setStatus(TaskState.TASK_STATE_AUTH_REQUIRED, message, camelCased(request));
    }
    case 'platform_wait': {
      const wait = PlatformWaitPayload.parse(payload);
      return task.setStatus(TaskState.TASK_STATE_AUTH_REQUIRED, fromAgent(task, aboutWait(wait), camelCased(wait)), camelCased(wait));
    }
    default:
      // The agent's own kinds.
      return working(task, undefined, { kind, payload });
  }
}

/** News of a skill that continues beside its question does not take the question back. */
function working(task: TaskRecord, text: string | undefined, metadata: Record<string, unknown>): void {
  if (task.state === TaskState.TASK_STATE_INPUT_REQUIRED || task.state === TaskState.TASK_STATE_AUTH_REQUIRED) return;
  task.setStatus(TaskState.TASK_STATE_WORKING, text === undefined ? undefined : fromAgent(task, text), metadata);
}

function succeed(task: TaskRecord, value: unknown, speaks: boolean): void {
  try {
    toJson(task.skill, value);
  } catch (error) {
    return fail(task, error);
  }
  const parts = speaks ? messageParts(value) : undefined;
  if (parts) {
    const message = { ...fromAgent(task, ''), parts: MessageCodec.fromJSON({ parts }).parts };
    if (task.mayReply) task.reply = { ...message, taskId: '' };
    return task.setStatus(TaskState.TASK_STATE_COMPLETED, message);
  }
  if (value !== undefined && value !== null) task.addArtifact(artifact('result', 'result', [valuePart(value)]));
  task.setStatus(TaskState.TASK_STATE_COMPLETED);
}

function fail(task: TaskRecord, error: unknown): void {
  const known = error instanceof SvcError ? error : new SkillOutputError('the run ended in an unknown way', { cause: error });
  const state =
    known instanceof CancelledByCaller ? TaskState.TASK_STATE_CANCELED : isRefusal(known) ? TaskState.TASK_STATE_REJECTED : TaskState.TASK_STATE_FAILED;
  const issues = issuesIn(known);
  const about = { code: known.code, ...(issues && { issues }) };
  task.setStatus(state, fromAgent(task, `${known.code}: ${known.message}`, about), about);
}

/** The agent would not, as opposed to could not. */
function isRefusal(error: SvcError): boolean {
  return error.status === 503 || error instanceof MissingScopes;
}
