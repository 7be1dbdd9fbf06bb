import { expect, test } from 'vitest';
import { Liveness } from './liveness.ts';

const card = (seconds: number) => ({ runtime: { resources: { max_runtime_seconds: seconds } } });
const dead = async (): Promise<boolean> => false;
const awake = (): boolean => true;
const rounds = async (liveness: Liveness, count: number, options: { card: unknown; awake: () => boolean }): Promise<(number | undefined)[]> => {
  const all: (number | undefined)[] = [];
  for (let n = 0; n < count; n++) all.push(await liveness.ask(dead, { everyMs: 10_000, ...options }));
  return all;
};

test('an agent hangs once it is silent for longer than its longest skill may take', async () => {
  expect(await rounds(new Liveness(), 4, { card: card(10), awake })).toEqual([undefined, undefined, undefined, 40_000]);
  expect((await rounds(new Liveness(), 63, { card: 'what it says', awake })).findIndex((found) => found !== undefined)).toBe(62);
  expect((await rounds(new Liveness(), 62, { card: card(1e9), awake })).every((found) => found === undefined)).toBe(true);
});

test('one answer, or a sleep, and the count begins again', async () => {
  const liveness = new Liveness();
  await rounds(liveness, 3, { card: card(10), awake });
  expect(await liveness.ask(async () => true, { card: card(10), awake, everyMs: 10_000 })).toBeUndefined();
  expect(await rounds(liveness, 3, { card: card(10), awake })).toEqual([undefined, undefined, undefined]);
  expect(await rounds(liveness, 9, { card: card(10), awake: () => false })).toEqual(Array.from({ length: 9 }, () => undefined));
});
