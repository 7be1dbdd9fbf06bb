// Domain errors carry a code of contract/errors; its status stands there. A class takes the codes of its
// status and no other.
import type { CodeOf, ErrorCode } from '#contract/errors/index.ts';
import type { ErrorStatus } from '#contract/kit.ts';

export interface ErrorDetails {
  /** Facts a client may act on; snake_case, no secrets. */
  [key: string]: unknown;
}

export abstract class DomainError<S extends ErrorStatus = ErrorStatus> extends Error {
  /** What clients read. */
  readonly code: string;
  /** Where it stands in the list: the code itself, but for an agent's own words. */
  readonly entry: ErrorCode;
  readonly details: ErrorDetails;
  constructor(entry: CodeOf<S>, message: string, details: ErrorDetails = {}, code: string = entry) {
    super(message);
    this.name = new.target.name;
    this.code = code;
    this.entry = entry;
    this.details = details;
  }
}

export class BadRequest extends DomainError<400> {}
export class Unauthorized extends DomainError<401> {}
export class PaymentRequired extends DomainError<402> {}
export class Forbidden extends DomainError<403> {}
export class NotFound extends DomainError<404> {}
export class MethodNotAllowed extends DomainError<405> {}
export class Conflict extends DomainError<409> {}
export class Gone extends DomainError<410> {}
/** What the caller made its change depend on is not so. */
export class PreconditionFailed extends DomainError<412> {}
export class PayloadTooLarge extends DomainError<413> {}
export class UnsupportedMediaType extends DomainError<415> {}
/** `size_bytes` in the details: how much there is. */
export class RangeNotSatisfiable extends DomainError<416> {}
export class TooManyRequests extends DomainError<429> {}
/** A part of the platform failed, on a route that answers nothing more particular for it. */
export class PlatformFailed extends DomainError<500> {}
export class BadGateway extends DomainError<502> {}
/** The request's host name belongs neither to the API nor to an agent. */
export class Misdirected extends DomainError<421> {}
export class Unavailable extends DomainError<503> {}
export class GatewayTimeout extends DomainError<504> {}

/**
 * An agent failed and may have said so in its own words: then its code is free text, and the entry says how
 * it failed.
 */
export class AgentFailed extends DomainError<502 | 503 | 504> {
  constructor(entry: 'agent_error' | 'agent_busy' | 'skill_timeout', said: string | undefined, message: string, details: ErrorDetails) {
    super(entry, message, details, said);
  }
}

/** Why something ended badly, as it is kept with what ended. */
export interface Fault {
  /** Stable, snake_case. */
  code: string;
  message: string;
  /** Of arguments or a result that do not fit: each place. */
  issues?: { path: (string | number)[]; message: string; code?: string }[];
}

/** Of the column in which it is kept. */
export function storedFault(column: unknown): Fault | null {
  // Safe: only the platform writes these columns, in this shape.
  return (column ?? null) as Fault | null;
}

/** What of it is kept where it becomes the end of something. */
export function faultOf(error: DomainError): Fault {
  return { code: error.code, message: error.message, ...(error instanceof Invalid && { issues: error.issues }) };
}

/** Input that passed its schema but not the rules; one entry per issue, each with its path. */
export class Invalid extends DomainError<422> {
  readonly issues: { path: (string | number)[]; message: string }[];
  constructor(issues: { path: (string | number)[]; message: string }[], details: ErrorDetails = {}) {
    super('invalid_input', issues.map((i) => `${i.path.join('.')}: ${i.message}`).join('; '), details);
    this.issues = issues;
  }
}
