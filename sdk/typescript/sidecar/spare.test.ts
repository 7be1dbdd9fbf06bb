// One process ahead: taken once, by the very same work, and never a dead one.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { Spare } from './spare.ts';

const started: ChildProcess[] = [];
const spareOf = (command = 'cat'): Spare<{ name: string }> =>
  new Spare<{ name: string }>(
    () => {
      const child = spawn(command, { stdio: ['pipe', 'ignore', 'ignore'] });
      started.push(child);
      return child;
    },
    ({ name }) => name,
  );

test('a spare is taken once only', async () => {
  const spare = spareOf();
  spare.keep({ name: 'a' });
  spare.keep({ name: 'a' });
  const [first] = started.splice(0);
  expect(spare.take({ name: 'b' })).toBeUndefined();
  expect(spare.take({ name: 'a' })).toBe(first);
  expect(spare.take({ name: 'a' })).toBeUndefined();
  first?.kill('SIGKILL');
});

test('one for later is started once nothing is kept anew, and not when it was dropped', async () => {
  const spare = spareOf();
  spare.keep({ name: 'a' }, 1);
  spare.keep({ name: 'b' }, 1);
  await vi.waitFor(() => expect(started).toHaveLength(1), 5_000);
  const [b] = started.splice(0);
  expect(spare.take({ name: 'b' })).toBe(b);
  b?.kill('SIGKILL');
  spare.keep({ name: 'c' }, 1);
  spare.drop();
  spare.keep({ name: 'd' }, 2);
  await vi.waitFor(() => expect(started).toHaveLength(1), 5_000);
  started.splice(0);
  expect(spare.take({ name: 'c' })).toBeUndefined();
  spare.drop();
});

test('one for other work takes its place; one that ended, or could not be started, is not given', async () => {
  const spare = spareOf();
  spare.keep({ name: 'a' });
  spare.keep({ name: 'b' });
  const [a, b] = started.splice(0);
  if (!a || !b) throw new Error('none was started');
  if (a.exitCode === null && a.signalCode === null) await once(a, 'exit');
  expect(a.signalCode).toBe('SIGKILL');
  b.kill('SIGKILL');
  await once(b, 'exit');
  expect(spare.take({ name: 'b' })).toBeUndefined();
  const missing = spareOf('no-such-program');
  missing.keep({ name: 'a' });
  expect(missing.take({ name: 'a' })).toBeUndefined();
  spare.drop();
});
