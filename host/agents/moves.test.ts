import { expect, test } from 'vitest';
import { Moves, SharedMove } from './moves.ts';

/** A move that ends when it is let go. */
function held(log: string[], name: string) {
  let end: (fault?: Error) => void = () => undefined;
  const over = new Promise<void>((resolve, reject) => (end = (fault) => (fault ? reject(fault) : resolve())));
  const move = async (): Promise<void> => {
    log.push(`${name} begins`);
    await over;
    log.push(`${name} ends`);
  };
  return { move, end };
}

test('moves run one after another, in the order they were asked for; one that fails fails for who asked, and the next one runs', async () => {
  const log: string[] = [];
  const moves = new Moves();
  const [first, second] = [held(log, 'sleep'), held(log, 'wake')];
  const slept = moves.run(first.move);
  const woken = moves.run(second.move);
  expect([moves.underWay, moves.asked]).toEqual([true, 2]);
  second.end();
  first.end(new Error('no disk'));
  await expect(slept).rejects.toThrow('no disk');
  await woken;
  expect(log).toEqual(['sleep begins', 'wake begins', 'wake ends']);
  expect([moves.underWay, moves.asked]).toEqual([false, 2]);
});

test('a move that several wait for is made once; after it, once more', async () => {
  const log: string[] = [];
  const wakes = new SharedMove();
  const [one, another] = [held(log, 'wake'), held(log, 'second wake')];
  const all = [wakes.join(one.move), wakes.join(one.move), wakes.join(another.move)];
  expect(wakes.waiting).toBe(3);
  one.end();
  await Promise.all(all);
  expect(wakes.waiting).toBe(0);
  another.end(new Error('it did not wake'));
  await expect(wakes.join(another.move)).rejects.toThrow('it did not wake');
  expect(wakes.waiting).toBe(0);
  expect(log).toEqual(['wake begins', 'wake ends', 'second wake begins']);
});
