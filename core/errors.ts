// Domain errors carry a stable code; api/http/errors.ts is the only place that knows their HTTP status.

export interface ErrorDetails {
  /** Facts a client may act on; snake_case, no secrets. */
  [key: string]: unknown;
}

export abstract class DomainError extends Error {
  readonly code: string;
  readonly details: ErrorDetails;
  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(message);
    this.name = new.target.name;
    this.code = code;
    this.details = details;
  }
}

export class BadRequest extends DomainError {}
export class Unauthorized extends DomainError {}
export class PaymentRequired extends DomainError {}
export class Forbidden extends DomainError {}
export class NotFound extends DomainError {}
export class MethodNotAllowed extends DomainError {}
export class Conflict extends DomainError {}
export class Gone extends DomainError {}
/** What the caller made its change depend on is not so. */
export class PreconditionFailed extends DomainError {}
export class PayloadTooLarge extends DomainError {}
/** `size_bytes` in the details: how much there is. */
export class RangeNotSatisfiable extends DomainError {}
export class TooManyRequests extends DomainError {}
export class BadGateway extends DomainError {}
/** The request's host name belongs neither to the API nor to an agent. */
export class Misdirected extends DomainError {}
export class Unavailable extends DomainError {}
export class GatewayTimeout extends DomainError {}

/** What of it is kept where it becomes the end of something. */
export function faultOf(error: DomainError): { code: string; message: string; issues?: Invalid['issues'] } {
  return { code: error.code, message: error.message, ...(error instanceof Invalid && { issues: error.issues }) };
}

/** Input that passed its schema but not the rules; one entry per issue, each with its path. */
export class Invalid extends DomainError {
  readonly issues: { path: (string | number)[]; message: string }[];
  constructor(issues: { path: (string | number)[]; message: string }[]) {
    super('invalid_input', issues.map((i) => `${i.path.join('.')}: ${i.message}`).join('; '));
    this.issues = issues;
  }
}
