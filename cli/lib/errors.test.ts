import { expect, test } from 'vitest';
import { ApiError } from '#contract/client.ts';
import { explain } from './errors.ts';
import { EXIT } from './exit-codes.ts';

test.each([
  ['view() needs a grant', 'view() needs a grant'],
  ['there is no such run', 'There is no such run'],
  ["it's gone", "It's gone"],
  ['text-kit is not live', 'text-kit is not live'],
])('a refusal begins with a capital, unless it begins with code or a name: %s', (message, said) => {
  const refused = new ApiError(409, { code: 'conflict', message, request_id: 'req_1' });
  expect(explain(refused).message).toBe(said);
});

test.each([
  [401, 'unauthenticated', EXIT.notSignedIn],
  [403, 'forbidden', EXIT.failure],
  [503, 'identity_provider_unreachable', EXIT.unreachable],
  [503, 'unavailable', EXIT.failure],
])('a script tells refusals apart by the exit code: %i %s → %i', (status, code, exitCode) => {
  const refused = explain(new ApiError(status, { code, message: 'no', request_id: 'req_1' }));
  expect(refused.exitCode).toBe(exitCode);
  expect(refused.message.includes('Sign in with: svc login')).toBe(status === 401);
});
