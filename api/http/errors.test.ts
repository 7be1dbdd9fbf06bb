import { expect, test } from 'vitest';
import { unexpected } from './errors.ts';

test('an outage of the database is 503 and says when to ask again; any other error of ours is 500', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' });
  expect(unexpected(refused, 'req_1')).toMatchObject({
    status: 503,
    headers: { 'retry-after': '2' },
    body: { detail: { code: 'unavailable', request_id: 'req_1' } },
  });
  expect(unexpected(new Error('x'), 'req_1').status).toBe(500);
});
