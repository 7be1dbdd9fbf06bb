// What the model's endpoint did, as an error of ours that says what to do.
import { type ModelError, type ModelErrorCode } from '#drivers/llm/port.ts';
import { BadGateway, Conflict, type DomainError, GatewayTimeout, PayloadTooLarge, TooManyRequests, Unavailable } from '../../kernel/errors.ts';

type Make = (message: string, details: Record<string, unknown>) => DomainError;

const KINDS: Record<ModelErrorCode, { make: Make; next: string }> = {
  auth: { make: (...about) => new Conflict('model_key_refused', ...about), next: 'replace the key with "svc models set"' },
  rate_limited: { make: (...about) => new TooManyRequests('model_rate_limited', ...about), next: 'try again later' },
  overloaded: { make: (...about) => new Unavailable('model_overloaded', ...about), next: 'try again later' },
  context_length: { make: (...about) => new PayloadTooLarge('model_context_length', ...about), next: 'begin a new thread, or choose a model that takes more' },
  model_not_found: { make: (...about) => new Conflict('model_not_found', ...about), next: 'choose another model for the credential' },
  bad_request: { make: (...about) => new BadGateway('model_refused_request', ...about), next: 'choose another model if it comes again' },
  bad_answer: { make: (...about) => new BadGateway('model_bad_answer', ...about), next: 'try again' },
  timeout: { make: (...about) => new GatewayTimeout('model_timeout', ...about), next: 'try again' },
  unreachable: { make: (...about) => new BadGateway('model_unreachable', ...about), next: "check the credential's address" },
  cancelled: { make: (...about) => new Conflict('cancelled', ...about), next: 'nothing is to be done' },
};

export function modelFailure(error: ModelError, about: { credential: string; model: string }): DomainError {
  const { make, next } = KINDS[error.code];
  const wait = error.retryAfterSeconds === undefined ? {} : { retry_after_seconds: error.retryAfterSeconds };
  return make(`${error.message} (${about.model}, credential "${about.credential}"): ${next}`, { ...about, ...wait });
}
