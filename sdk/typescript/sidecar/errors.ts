// Errors over the worker protocol: the same names, codes and statuses on both sides.
import { agentErrors } from '../../../contract/errors/agent.ts';
import { AgentErrorCode, type AgentErrorIssue } from '../../../contract/wire/errors.ts';
import type { WorkerError } from '../../../contract/wire/worker.ts';
import {
  AuthError,
  CallFailed,
  issuesIn,
  MissingScopes,
  ModelAnswerInvalid,
  ModelFailed,
  RunLost,
  SkillInputError,
  SkillOutputError,
  SvcError,
} from '../authoring/errors.ts';

/** A worker that could not be started or does not do what it declared. The message is for the author. */
export class WorkerFailed extends Error {
  readonly code = 'worker_failed';
  /** What the worker wrote to stderr last. */
  readonly output: string;
  constructor(message: string, output = '') {
    super(output ? `${message}\n${output}` : message);
    this.name = 'WorkerFailed';
    this.output = output;
  }
}

/**
 * The worker went away, or broke the protocol, while it ran a skill. A failure, not an answer: idempotent
 * skills are tried again.
 */
export class WorkerLost extends RunLost {
  constructor(message: string) {
    super(message);
    this.name = 'WorkerLost';
  }
}

/** What was asked of a held worker has not begun there: it is asked of the next one. Never a caller's. */
export class Moved extends Error {
  constructor() {
    super('the worker is held up');
    this.name = 'Moved';
  }
}

/** What startup(ctx) raised, in the author's words; its stack is the worker's. */
export class StartupRaised extends Error {
  constructor({ message, log }: WorkerError) {
    super(message.slice(0, MAX_MESSAGE));
    this.name = 'StartupRaised';
    if (log !== undefined) this.stack = log.slice(0, MAX_TRACE);
  }
}

/**
 * What a handler raised without meaning it for the caller: the runtime hides the message and logs the trace.
 */
class HandlerRaised extends Error {
  constructor(message: string, trace: string | undefined) {
    super(message);
    this.name = 'HandlerRaised';
    if (trace !== undefined) this.stack = trace;
  }
}

const MAX_MESSAGE = 4000;
export const MAX_TRACE = 32_000;
const MAX_ISSUES = 100;

/**
 * An error of a code we know is an answer with its message; any other is an accident of the handler, and only
 * the log learns of it.
 */
export function fromWorker(error: WorkerError): Error {
  const code = AgentErrorCode.safeParse(error.code);
  const message = error.message.slice(0, MAX_MESSAGE);
  if (!code.success) return new HandlerRaised(message, error.log?.slice(0, MAX_TRACE));
  if (code.data === 'skill_input_error') return new SkillInputError(message, issuesOf(error));
  if (code.data === 'skill_output_error') return new SkillOutputError(message, { issues: issuesOf(error) });
  if (code.data === 'missing_scopes') return new MissingScopes((error.missing_scopes ?? []).slice(0, MAX_ISSUES));
  if (code.data === 'call_failed' && error.callee) return new CallFailed(message, { ...error.callee, issues: issuesOf(error) });
  if (code.data === 'model_failed' && error.callee) return new ModelFailed(message, error.callee);
  if (code.data === 'model_answer_invalid') return new ModelAnswerInvalid(message, issuesOf(error));
  const status = error.status ?? agentErrors[code.data].status;
  if (code.data === 'auth_error') return new AuthError(message, { status });
  return new SvcError(code.data, message, status);
}

function issuesOf({ issues = [] }: WorkerError): readonly AgentErrorIssue[] {
  return issues.slice(0, MAX_ISSUES).map(({ path, code, message }) => ({ path: path.slice(0, 32), code, message: message.slice(0, MAX_MESSAGE) }));
}

export function toWorker(error: unknown): WorkerError {
  if (error instanceof SvcError) {
    const issues = issuesIn(error);
    return {
      code: error.code,
      message: error.message,
      status: error.status,
      ...(issues && { issues: [...issues] }),
      ...(error instanceof CallFailed && { callee: { code: error.calleeCode, status: error.calleeStatus }, issues: [...error.issues] }),
      ...(error instanceof ModelFailed && { callee: { code: error.modelCode, status: error.modelStatus } }),
      ...(error instanceof MissingScopes && { missing_scopes: [...error.missing] }),
    };
  }
  // A wrong argument of the skill's: its author should read what is wrong. Others stay with the runtime.
  if (error instanceof TypeError || error instanceof RangeError) return { code: 'bad_request', message: error.message, status: 400 };
  return { code: 'skill_invocation_error', message: 'this part of the run context failed; the log of the runtime has the reason', status: 500 };
}
