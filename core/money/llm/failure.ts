// What the model's endpoint did, as an error of ours that says what to do.
import { type ModelError, type ModelErrorCode } from '../../../drivers/llm/port.ts';
import { BadGateway, Conflict, type DomainError, GatewayTimeout, PayloadTooLarge, TooManyRequests, Unavailable } from '../../errors.ts';

type Kind = new (code: string, message: string, details: Record<string, unknown>) => DomainError;

const KINDS: Record<ModelErrorCode, { kind: Kind; code: string; next: string }> = {
  auth: { kind: Conflict, code: 'model_key_refused', next: 'replace the key with "svc models set"' },
  rate_limited: { kind: TooManyRequests, code: 'model_rate_limited', next: 'try again later' },
  overloaded: { kind: Unavailable, code: 'model_overloaded', next: 'try again later' },
  context_length: { kind: PayloadTooLarge, code: 'model_context_length', next: 'begin a new thread, or choose a model that takes more' },
  model_not_found: { kind: Conflict, code: 'model_not_found', next: 'choose another model for the credential' },
  bad_request: { kind: BadGateway, code: 'model_refused_request', next: 'choose another model if it comes again' },
  bad_answer: { kind: BadGateway, code: 'model_bad_answer', next: 'try again' },
  timeout: { kind: GatewayTimeout, code: 'model_timeout', next: 'try again' },
  unreachable: { kind: BadGateway, code: 'model_unreachable', next: "check the credential's address" },
  cancelled: { kind: Conflict, code: 'cancelled', next: 'nothing is to be done' },
};

export function modelFailure(error: ModelError, about: { credential: string; model: string }): DomainError {
  const { kind, code, next } = KINDS[error.code];
  const wait = error.retryAfterSeconds === undefined ? {} : { retry_after_seconds: error.retryAfterSeconds };
  return new kind(code, `${error.message} (${about.model}, credential "${about.credential}"): ${next}`, { ...about, ...wait });
}
