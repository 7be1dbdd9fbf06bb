import { ApplicationFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { AgentFailed, Conflict, GatewayTimeout, Invalid, NotFound, TooManyRequests } from '#core/kernel/errors.ts';
import { mayPass } from './failures.ts';

test.each<[string, unknown, boolean]>([
  ['a conflict', new Conflict('agent_deleted', 'gone'), false],
  ['a record that does not exist', new NotFound('agent_not_found', 'none'), false],
  ['input that is wrong', new Invalid([{ path: ['a'], message: 'wrong' }]), false],
  ['an error of the program', new TypeError('undefined is not a function'), false],
  ['a number out of range', new RangeError('Invalid array length'), false],
  ['data of another shape', new z.ZodError([]), false],
  ['a failure that says so', ApplicationFailure.nonRetryable('no'), false],
  ['an agent that failed', new AgentFailed('agent_busy', undefined, 'busy', {}), true],
  ['a part that is slow', new GatewayTimeout('agent_timeout', 'late'), true],
  ['too many requests', new TooManyRequests('run_busy', 'later'), true],
  ['a connection that broke', new TypeError('fetch failed', { cause: new Error('ECONNRESET') }), true],
  ['any other error', new Error('a broken wire'), true],
])('%s', (_what, error, passes) => {
  expect(mayPass(error)).toBe(passes);
});
