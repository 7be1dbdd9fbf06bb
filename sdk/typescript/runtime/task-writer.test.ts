import { expect, test } from 'vitest';
import { MAX_TASK_SNAPSHOT, MAX_TASK_UPDATES } from '../../../contract/run/protocol-tasks.ts';
import { WriteRefused, type TaskToWrite } from './stored-tasks.ts';
import { TaskWriter } from './task-writer.ts';

const NOW: TaskToWrite = {
  protocol: 'a2a',
  owner: 'ada',
  contextKey: null,
  status: 'working',
  over: false,
  questions: [],
  snapshot: '{}',
  retentionSeconds: 60,
};

function writer(fault?: Error) {
  const written: string[][] = [];
  const errors: unknown[] = [];
  const task = {
    write: ({ updates }: { updates: readonly { body: string }[] }) => {
      written.push(updates.map(({ body }) => body));
      return fault && written.length === 1 ? Promise.reject(fault) : Promise.resolve();
    },
    setPush: () => Promise.resolve(),
    removePush: () => Promise.resolve(),
  };
  return { writer: new TaskWriter({ task, read: () => NOW, executor: { writes: (work) => work }, onError: (error) => errors.push(error) }), written, errors };
}

const push = (to: TaskWriter, bodies: readonly string[]): void => bodies.forEach((body) => to.push({ version: '1.0', contentType: 'text/plain', body }));

test('notifications go in their order, in requests that the platform takes', async () => {
  const { writer: many, written } = writer();
  const bodies = Array.from({ length: MAX_TASK_UPDATES + 1 }, (_, n) => String(n));
  push(many, bodies);
  await many.flush();
  expect(written).toEqual([bodies.slice(0, -1), bodies.slice(-1)]);

  const { writer: large, written: apart } = writer();
  const [half, whole, tiny] = ['h'.repeat(MAX_TASK_SNAPSHOT / 2), 'w'.repeat(MAX_TASK_SNAPSHOT), 't'];
  push(large, [half, half, tiny, whole, tiny]);
  await large.flush();
  expect(apart.map((sent) => sent.map((body) => body.at(0)))).toEqual([['h', 'h'], ['t'], ['w'], ['t']]);
});

test('what could not be written waits, and what the platform refuses does not', async () => {
  const { writer: away, written, errors } = writer(new Error('away'));
  push(away, ['one']);
  await away.flush();
  expect([away.isBehind, errors.length]).toEqual([true, 1]);
  push(away, ['two']);
  await away.flush();
  expect([written, away.isBehind]).toEqual([[['one'], ['one', 'two']], false]);

  const { writer: refused, written: tried } = writer(new WriteRefused('too large'));
  push(refused, ['one']);
  await refused.flush();
  expect([tried, refused.isBehind]).toEqual([[['one']], false]);
});
