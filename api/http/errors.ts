// The only place that makes an error a status and a body. Which status a code has: contract/errors.
import { ERRORS, type ErrorCode } from '#contract/errors/index.ts';
import type { ErrorStatus } from '#contract/kit.ts';
import type { ErrorResponse } from '#contract/error-response.ts';
import * as domain from '#core/kernel/errors.ts';
import { isOutage } from '#core/kernel/outage.ts';
import { saysDiskFull } from '#drivers/room.ts';

export interface Refusal {
  status: ErrorStatus;
  body: ErrorResponse;
  headers: Record<string, string>;
}

/** Undefined for what is not a domain error: a bug or a broken part, answered by `internal`. */
export function refusalOf(error: unknown, requestId: string): Refusal | undefined {
  if (!(error instanceof domain.DomainError)) return undefined;
  const { status } = ERRORS[error.entry];
  if (!isStatus(status)) return undefined;
  const issues = error instanceof domain.Invalid ? { issues: error.issues } : {};
  return {
    status,
    body: { detail: { ...error.details, code: error.code, message: error.message, request_id: requestId, ...issues } },
    headers: headersFor(status, error.details),
  };
}

// Safe: DomainError takes codes of an ErrorStatus only; the others are an agent's runtime's, or no answer's.
function isStatus(status: (typeof ERRORS)[ErrorCode]['status']): status is ErrorStatus {
  return status !== null && status !== 408 && status !== 431 && status !== 499 && status !== 501;
}

/**
 * For the log, not for the caller: which of several causes one answer had. Always a word of ours, never of
 * the request.
 */
export function faultOf(error: unknown): string | undefined {
  return error instanceof domain.DomainError && typeof error.cause === 'string' ? error.cause : undefined;
}

/** What no verb threw on purpose: a part that is away for a moment, or a defect. */
export function unexpected(error: unknown, requestId: string): Refusal {
  if (saysDiskFull(error)) {
    const message = 'the disk of the platform is full, so nothing can be written; its operator frees space, then send this again';
    return { status: 503, body: { detail: { code: 'disk_full', message, request_id: requestId } }, headers: { 'retry-after': '30' } };
  }
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
  if (status === 405 && Array.isArray(details.allow)) return { allow: details.allow.join(', ') };
  if (status === 415 && typeof details.accept_encoding === 'string') return { 'accept-encoding': details.accept_encoding };
  const wait = details.retry_after_seconds;
  return typeof wait === 'number' ? { 'retry-after': String(Math.max(1, Math.ceil(wait))) } : {};
}
