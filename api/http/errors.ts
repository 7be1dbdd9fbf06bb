// The only map from an error to a status and a body.
import type { ErrorStatus } from '../../contract/kit.ts';
import type { ErrorResponse } from '../../contract/error-response.ts';
import * as domain from '../../core/errors.ts';
import { isOutage } from './outage.ts';

const STATUS: readonly (readonly [abstract new (...args: never[]) => domain.DomainError, ErrorStatus])[] = [
  [domain.BadRequest, 400],
  [domain.Unauthorized, 401],
  [domain.PaymentRequired, 402],
  [domain.Forbidden, 403],
  [domain.NotFound, 404],
  [domain.MethodNotAllowed, 405],
  [domain.Conflict, 409],
  [domain.Gone, 410],
  [domain.PreconditionFailed, 412],
  [domain.PayloadTooLarge, 413],
  [domain.RangeNotSatisfiable, 416],
  [domain.Misdirected, 421],
  [domain.Invalid, 422],
  [domain.TooManyRequests, 429],
  [domain.BadGateway, 502],
  [domain.Unavailable, 503],
  [domain.GatewayTimeout, 504],
];

export interface Refusal {
  status: ErrorStatus;
  body: ErrorResponse;
  headers: Record<string, string>;
}

/** Undefined for what is not a domain error: a bug or a broken part, answered by `internal`. */
export function refusalOf(error: unknown, requestId: string): Refusal | undefined {
  if (!(error instanceof domain.DomainError)) return undefined;
  const status = STATUS.find(([type]) => error instanceof type)?.[1];
  if (status === undefined) return undefined;
  const issues = error instanceof domain.Invalid ? { issues: error.issues } : {};
  return {
    status,
    body: { detail: { ...error.details, code: error.code, message: error.message, request_id: requestId, ...issues } },
    headers: headersFor(status, error.details),
  };
}

/** What the caller is not told and the log is: why one answer was given for many reasons. A word of ours, never theirs. */
export function faultOf(error: unknown): string | undefined {
  return error instanceof domain.DomainError && typeof error.cause === 'string' ? error.cause : undefined;
}

/** What no verb threw on purpose: a part that is away for a moment, or a defect. */
export function unexpected(error: unknown, requestId: string): Refusal {
  if (!isOutage(error)) return internal(requestId);
  const message = 'a part of the platform is starting again; send this once more in a moment';
  return { status: 503, body: { detail: { code: 'unavailable', message, request_id: requestId } }, headers: { 'retry-after': '2' } };
}

export function internal(requestId: string): Refusal {
  const message = 'something broke on our side; try again, and name the request id when asking for help';
  return { status: 500, body: { detail: { code: 'internal', message, request_id: requestId } }, headers: {} };
}

function headersFor(status: ErrorStatus, details: domain.ErrorDetails): Record<string, string> {
  if (status === 416) return { 'content-range': `bytes */${Number(details.size_bytes)}` };
  const wait = details.retry_after_seconds;
  return typeof wait === 'number' ? { 'retry-after': String(Math.max(1, Math.ceil(wait))) } : {};
}
