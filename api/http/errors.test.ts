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

test('a disk without room is said, of whichever part: files, PostgreSQL, or what wraps either', () => {
  const file = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const quota = Object.assign(new Error('EDQUOT: disk quota exceeded'), { code: 'EDQUOT' });
  const database = Object.assign(new Error('could not extend file "base/5/1259"'), { code: '53100' });
  for (const error of [file, quota, database, new Error('the object was not stored', { cause: file })])
    expect(unexpected(error, 'req_1')).toMatchObject({ status: 503, body: { detail: { code: 'disk_full', request_id: 'req_1' } } });
});
