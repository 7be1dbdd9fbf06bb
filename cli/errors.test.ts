import { expect, test } from 'vitest';
import { ApiError } from '#contract/client.ts';
import { explain } from './errors.ts';

test.each([
  ['view() needs a grant', 'view() needs a grant'],
  ['there is no such run', 'There is no such run'],
  ["it's gone", "It's gone"],
  ['text-kit is not live', 'text-kit is not live'],
])('a refusal begins with a capital, unless it begins with code or a name: %s', (message, said) => {
  const refused = new ApiError(409, { code: 'conflict', message, request_id: 'req_1' });
  expect(explain(refused).message).toBe(said);
});
