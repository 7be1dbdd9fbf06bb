import { expect, test } from 'vitest';
import { MAX_TASK_SNAPSHOT, MAX_TASK_UPDATES } from '../../../contract/run/kept-tasks.ts';
import { KeepRefused, type TaskToKeep } from './kept.ts';
import { TaskKeeper } from './task-keeper.ts';

const NOW: TaskToKeep = { protocol: 'a2a', owner: 'ada', contextKey: null, status: 'working', over: false, questions: [], snapshot: '{}', keptSeconds: 60 };

function keeper(fault?: Error) {
  const written: string[][] = [];
  const errors: unknown[] = [];
  const task = {
    keep: ({ updates }: { updates: readonly { body: string }[] }) => {
      written.push(updates.map(({ body }) => body));
      return fault && written.length === 1 ? Promise.reject(fault) : Promise.resolve();
    },
    setPush: () => Promise.resolve(),
    removePush: () => Promise.resolve(),
  };
  return { keeper: new TaskKeeper({ task, read: () => NOW, onError: (error) => errors.push(error) }), written, errors };
}

const push = (to: TaskKeeper, bodies: readonly string[]): void => bodies.forEach((body) => to.push({ version: '1.0', contentType: 'text/plain', body }));

test('notifications go in their order, in requests that the platform takes', async () => {
  const { keeper: many, written } = keeper();
  const bodies = Array.from({ length: MAX_TASK_UPDATES + 1 }, (_, n) => String(n));
  push(many, bodies);
  await many.flush();
  expect(written).toEqual([bodies.slice(0, -1), bodies.slice(-1)]);

  const { keeper: large, written: apart } = keeper();
  const [half, whole, tiny] = ['h'.repeat(MAX_TASK_SNAPSHOT / 2), 'w'.repeat(MAX_TASK_SNAPSHOT), 't'];
  push(large, [half, half, tiny, whole, tiny]);
  await large.flush();
  expect(apart.map((sent) => sent.map((body) => body.at(0)))).toEqual([['h', 'h'], ['t'], ['w'], ['t']]);
});

test('what could not be written waits, and what the platform refuses does not', async () => {
  const { keeper: away, written, errors } = keeper(new Error('away'));
  push(away, ['one']);
  await away.flush();
  expect([away.isBehind, errors.length]).toEqual([true, 1]);
  push(away, ['two']);
  await away.flush();
  expect([written, away.isBehind]).toEqual([[['one'], ['one', 'two']], false]);

  const { keeper: refused, written: tried } = keeper(new KeepRefused('too large'));
  push(refused, ['one']);
  await refused.flush();
  expect([tried, refused.isBehind]).toEqual([[['one']], false]);
});
