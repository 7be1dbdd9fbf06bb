// What went wrong, in our words. Vendors' own words are shown only where they help to mend the request, and
// never with a key in them.
import { APICallError } from '@ai-sdk/provider';
import { EgressRefused } from '../outbound/connect.ts';
import { TooLong } from './outbound.ts';
import { ModelError, type ModelErrorCode, type ModelUsage } from './port.ts';
import { errorWithoutKey } from './without-key.ts';

export interface Circumstances {
  apiKey: string | null;
  /** The caller's own signal fired, or ours for the whole answer. */
  cancelled: boolean;
  timedOut: boolean;
  usage?: ModelUsage | undefined;
}

const MESSAGES: Record<ModelErrorCode, string> = {
  auth: 'The model provider refused the key: it is wrong, revoked, or may not use this model',
  rate_limited: 'The rate limit of the model provider for this key is reached',
  overloaded: 'The model provider has trouble for now',
  context_length: 'The conversation is longer than the model takes: send less',
  model_not_found: 'The model provider knows no such model, or not at this address',
  bad_request: 'The model provider refused the request',
  bad_answer: 'What the model provider sent cannot be read, or broke off',
  timeout: 'The model provider did not answer in time',
  unreachable: 'The model provider could not be reached: its address is unknown, not on the public internet, or takes no connection',
  cancelled: 'Cancelled',
};

const NETWORK = /^(E[A-Z]+|UND_ERR_\w+|ERR_TLS_\w+|ERR_SSL_\w+|[A-Z_]*CERT[A-Z_]*)$/;

/** `error` is whatever the client library threw or streamed. */
export function modelError(error: unknown, c: Circumstances): ModelError {
  if (error instanceof ModelError) return error;
  const made = (code: ModelErrorCode, more: { hint?: string | undefined; retryAfterSeconds?: number | undefined } = {}): ModelError =>
    new ModelError(code, more.hint === undefined ? MESSAGES[code] : `${MESSAGES[code]}: ${more.hint}`, { ...more, usage: c.usage });
  if (c.cancelled) return made('cancelled');
  if (c.timedOut) return made('timeout');
  const refused = causes(error).find((one) => one instanceof EgressRefused);
  // The reason stays out of the message: it would show which internal names and ports exist.
  if (refused) return made(refused.status === 504 ? 'timeout' : 'unreachable');
  if (causes(error).some((one) => one instanceof TooLong)) return made('bad_answer');
  const status = statusOf(error);
  const errorText = textOf(error);
  if (status !== undefined && status >= 400) {
    const code = codeOf(status, errorText);
    const hint = code === 'bad_request' ? shown(errorText, c.apiKey) : undefined;
    return made(code, { hint, ...(code === 'rate_limited' || code === 'overloaded' ? { retryAfterSeconds: retryAfter(error) } : {}) });
  }
  return made(networkCode(error) ?? 'bad_answer');
}

function codeOf(status: number, said: string): ModelErrorCode {
  if (status === 401 || status === 403) return 'auth';
  // Money that has run out is no matter of waiting, though it comes with the same status.
  if (status === 402 || (status === 429 && /insufficient_quota|billing/i.test(said))) return 'auth';
  if (status === 429) return 'rate_limited';
  if (status === 413 || /context[_ ](length|window)|prompt is too long|maximum context|too many tokens/i.test(said)) return 'context_length';
  if (status === 404) return 'model_not_found';
  if (status === 408 || status === 504) return 'timeout';
  return status >= 500 ? 'overloaded' : 'bad_request';
}

function networkCode(error: unknown): ModelErrorCode | undefined {
  const codes = causes(error).flatMap((one) => ('code' in one && typeof one.code === 'string' ? [one.code] : []));
  if (codes.some((code) => /TIMEOUT|ETIMEDOUT/.test(code))) return 'timeout';
  if (codes.some((code) => code === 'UND_ERR_SOCKET' || code === 'ECONNRESET')) return 'bad_answer';
  // A call without a status never got an answer: a redirect, a port that fetch refuses, no such host.
  const unanswered = APICallError.isInstance(error) && error.statusCode === undefined;
  return unanswered || codes.some((code) => NETWORK.test(code)) ? 'unreachable' : undefined;
}

/** The error and what caused it. */
function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && chain.length < 8 && !chain.includes(at); at = at.cause) chain.push(at);
  return chain;
}

function statusOf(error: unknown): number | undefined {
  const status: unknown = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  if (typeof status === 'number') return status;
  // In the middle of a stream an error has a type, or a number of its own, and no status.
  const code = typeof error === 'object' && error !== null && 'code' in error ? Number(error.code) : Number.NaN;
  if (code >= 400 && code < 600) return code;
  if (error instanceof Error) return undefined;
  const errorText = textOf(error);
  if (/rate_limit/i.test(errorText)) return 429;
  return /overloaded|server_error|api_error/i.test(errorText) ? 529 : undefined;
}

function textOf(error: unknown): string {
  if (APICallError.isInstance(error)) return `${error.message} ${error.responseBody ?? ''}`;
  if (error instanceof Error) return error.message;
  return JSON.stringify(error) ?? '';
}

function retryAfter(error: unknown): number | undefined {
  const headers = APICallError.isInstance(error) ? error.responseHeaders : undefined;
  const millis = Number(headers?.['retry-after-ms']);
  if (millis > 0) return Math.ceil(millis / 1000);
  const retryAfterHeader = headers?.['retry-after'];
  if (retryAfterHeader === undefined) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(retryAfterHeader) ? Number(retryAfterHeader) : (Date.parse(retryAfterHeader) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.min(86_400, Math.max(1, Math.ceil(seconds))) : undefined;
}

const maxHint = 300;

/** A vendor's sentence, cut, without the key or anything that looks like one. */
function shown(said: string, apiKey: string | null): string {
  const first = /"message"\s*:\s*"((?:[^"\\]|\\.){1,2000})"/.exec(said)?.[1] ?? said;
  return errorWithoutKey(first, apiKey)
    .replaceAll(/\b(sk|pk|gsk|key|xai|Bearer)[-_ ][\w*.-]{6,}/gi, '[key]')
    .replaceAll(/[\u0000-\u001f\u007f]+/g, ' ')
    .slice(0, maxHint);
}
