// What can go wrong, by the names of the specification. `message` is meant for the caller: no internals in
// it.
import { agentErrors } from '../../../contract/errors/agent.ts';
import type { AgentErrorCode, AgentErrorIssue } from '../../../contract/wire/errors.ts';
import { MAX_VALUE_BYTES } from '../../../contract/wire/limits.ts';

export interface SvcErrorOptions extends ErrorOptions {
  /** HTTP status the caller sees. */
  status?: number;
}

export class SvcError extends Error {
  readonly code: AgentErrorCode;
  readonly status: number;
  /** @param status where an author chose another than the code's own */
  constructor(code: AgentErrorCode, message: string, status: number = agentErrors[code].status, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.status = status;
  }
}

/** The arguments do not fit the input schema; a skill may throw it too, for what a schema cannot say. */
export class SkillInputError extends SvcError {
  readonly issues: readonly AgentErrorIssue[];
  constructor(message: string, issues: readonly AgentErrorIssue[] = []) {
    super('skill_input_error', message);
    this.issues = issues;
  }
}

export class SkillNotFound extends SvcError {
  constructor(skill: string, known: readonly string[]) {
    super('skill_not_found', `there is no skill "${skill.slice(0, 64)}"; this agent has: ${known.join(', ') || 'none'}`);
  }
}

/**
 * The handler failed. Thrown by a skill, its message reaches the caller; any other error's message does not.
 */
export class SkillInvocationError extends SvcError {
  constructor(message: string, options?: SvcErrorOptions & { code?: AgentErrorCode }) {
    super(options?.code ?? 'skill_invocation_error', message, options?.status, options);
  }
}

/**
 * The process that ran the handler is gone, and with it the run. Not an answer: idempotent skills are tried
 * again.
 */
export class RunLost extends Error {}

/** The handler's result does not fit the output schema it declared. */
export class SkillOutputError extends SkillInvocationError {
  readonly issues: readonly AgentErrorIssue[];
  constructor(message: string, options?: ErrorOptions & { issues?: readonly AgentErrorIssue[] }) {
    super(message, { ...options, code: 'skill_output_error' });
    this.issues = options?.issues ?? [];
  }
}

/**
 * What is wrong with the arguments, the result or a model's answer, place by place; undefined for errors of
 * other kinds.
 */
export function issuesIn(error: SvcError): readonly AgentErrorIssue[] | undefined {
  if (error instanceof SkillInputError || error instanceof ModelAnswerInvalid) return error.issues;
  return error instanceof SkillOutputError && error.issues.length > 0 ? error.issues : undefined;
}

/** The result has more bytes than a result may have. */
export class AnswerTooLarge extends SvcError {
  constructor(skill: string, bytes: number) {
    super('answer_too_large', `the result of "${skill}" has ${bytes} bytes, and may have ${MAX_VALUE_BYTES} at most: write an artifact instead`);
  }
}

export class SecretMissing extends SkillInvocationError {
  constructor(name: string) {
    super(`the secret "${name}" is not set for this agent`, { code: 'secret_missing' });
  }
}

export class SkillTimeout extends SvcError {
  constructor(skill: string, seconds: number) {
    super('skill_timeout', `skill "${skill}" did not finish within ${seconds} s`);
  }
}

export class MissingScopes extends SvcError {
  readonly missing: readonly string[];
  constructor(missing: readonly string[]) {
    super('missing_scopes', `the caller lacks the scopes: ${missing.join(', ')}`);
    this.missing = missing;
  }
}

/** No token, or not one that is accepted. A resolver may set another status than 401. */
export class AuthError extends SvcError {
  constructor(message: string, options?: SvcErrorOptions) {
    super('auth_error', message, options?.status, options);
  }
}

/** A forged, expired or misaddressed grant. Says no more than that. */
export class GrantInvalid extends SvcError {
  constructor(message = 'the grant is not valid here', options?: ErrorOptions) {
    super('grant_invalid', message, undefined, options);
  }
}

export class ScopeDenied extends SvcError {
  constructor(message: string) {
    super('scope_denied', message);
  }
}

export class ScopeExpansionNotAllowed extends SvcError {
  constructor(skill: string) {
    super('scope_expansion_not_allowed', `skill "${skill}" did not declare allowScopeExpansion: true`);
  }
}

/** The question was not answered in time. */
export class QuestionTimeout extends SvcError {
  constructor(seconds: number) {
    super('question_expired', `no answer to the question within ${seconds} s`);
  }
}

/** The person who was asked said that they do not answer. */
export class QuestionDeclined extends SvcError {
  constructor() {
    super('question_declined', 'the person declined to answer the question');
  }
}

/** The run works for no user who can be asked: the caller is anonymous, or there is none. */
export class NobodyToAsk extends SvcError {
  constructor(message = 'this run has no user who could be asked; call it signed in, or pass the answer as an argument') {
    super('nobody_to_ask', message);
  }
}

/** The workspace may not be used so: the policy, the mode or the patterns of the grant do not allow it. */
export class WorkspaceDenied extends SvcError {
  constructor(message: string) {
    super('workspace_denied', message);
  }
}

/** A person has to approve that the run writes: the run waits, and writes again. */
export class WriteNeedsApproval extends WorkspaceDenied {
  /** The platform's wait. */
  readonly heldBy: string;
  constructor(message: string, heldBy: string) {
    super(message);
    this.heldBy = heldBy;
  }
}

export class FileNotFound extends SvcError {
  constructor(path: string) {
    super('file_not_found', `there is no file "${path.slice(0, 200)}" in the workspace as the grant shows it`);
  }
}

/**
 * Another agent refused or failed. `calleeCode` is its own code (skill_input_error, missing_scopes, call_loop
 * …), for the skill to decide by.
 */
export class CallFailed extends SvcError {
  readonly calleeCode: string;
  /** HTTP status; 0 where there was no answer at all. */
  readonly calleeStatus: number;
  readonly issues: readonly AgentErrorIssue[];
  /** The platform's wait that holds the call until a person has decided. */
  readonly heldBy: string | undefined;
  constructor(
    message: string,
    callee: { code: string; status: number; issues?: readonly AgentErrorIssue[]; heldBy?: string | undefined },
    options?: ErrorOptions,
  ) {
    super('call_failed', message, undefined, options);
    this.calleeCode = callee.code;
    this.calleeStatus = callee.status;
    this.issues = callee.issues ?? [];
    this.heldBy = callee.heldBy;
  }
}

/**
 * A language model did not answer. `modelCode` is the gateway's own (llm_cap_reached, model_not_allowed,
 * no_model …), or the endpoint's.
 */
export class ModelFailed extends SvcError {
  readonly modelCode: string;
  /** HTTP status; 0 where there was no answer at all. */
  readonly modelStatus: number;
  constructor(message: string, model: { code: string; status: number }, options?: ErrorOptions) {
    super('model_failed', message, undefined, options);
    this.modelCode = model.code;
    this.modelStatus = model.status;
  }
}

/** What a model answered does not fit the schema, also when it was asked again. */
export class ModelAnswerInvalid extends SvcError {
  readonly issues: readonly AgentErrorIssue[];
  constructor(message: string, issues: readonly AgentErrorIssue[] = []) {
    super('model_answer_invalid', message);
    this.issues = issues;
  }
}

/** The caller went away. 499 is never seen by them; it is what logs and receipts carry. */
export class CancelledByCaller extends SvcError {
  constructor(message = 'cancelled by the caller') {
    super('cancelled_by_caller', message);
  }
}

export class SandboxUnavailable extends SvcError {
  constructor(message = 'no sandbox here: sandboxes come with the platform; deploy the agent or attach a sandbox runtime') {
    super('sandbox_unavailable', message);
  }
}

/** Part of the run context that needs the platform, where there is none. */
export class NotAvailable extends SvcError {
  constructor(what: string) {
    super('not_available', `${what} is not available here: it needs the platform, and this run has none attached`);
  }
}

export class AgentBusy extends SvcError {
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number) {
    super('agent_busy', `all places are taken and the queue is full; try again in ${retryAfterSeconds} s`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * The agent's startup hook failed, it is shutting down, or out of service: thrown by health() its message is
 * what callers read.
 */
export class AgentNotReady extends SvcError {
  readonly retryAfterSeconds: number | undefined;
  constructor(message: string, options?: ErrorOptions & { retryAfterSeconds?: number }) {
    super('agent_not_ready', message, undefined, options);
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }
}

/** `attribute` is the field of the class, a skill's or another; "class" for the whole. */
export interface DeclarationProblem {
  attribute: string;
  message: string;
}

/** The class breaks a rule of the authoring contract; each problem says what to do. */
export class AgentDeclarationError extends Error {
  readonly code = 'agent_declaration_invalid';
  readonly problems: readonly DeclarationProblem[];
  constructor(agent: string, problems: readonly DeclarationProblem[]) {
    super(problems.map(({ attribute, message }) => `${agent}: ${attribute}: ${message}`).join('\n'));
    this.name = 'AgentDeclarationError';
    this.problems = problems;
  }
}
