import { expect, test } from 'vitest';
import { batch, type BatchOptions } from './batch.ts';

/** Batches as they began, each to be ended by hand. */
function held(options: BatchOptions<number>) {
  const batches: { inputs: readonly number[]; end: () => void; fail: (error: Error) => void }[] = [];
  const call = batch<number, number>(
    (inputs) =>
      new Promise((resolve, reject) => {
        batches.push({ inputs, end: () => resolve(inputs.map((n) => n * 10)), fail: reject });
      }),
    options,
  );
  const begun = () => batches.map(({ inputs }) => inputs);
  return { batches, begun, call };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('what comes while others are under way goes together, and each gets its own', async () => {
  const { batches, begun, call } = held({ maxConcurrent: 1, maxSize: 10 });
  const first = call(1);
  await turn();
  const later = [2, 3, 4].map(call);
  await turn();
  expect(begun()).toEqual([[1]]);
  batches[0]?.end();
  expect(await first).toBe(10);
  await expect.poll(begun).toEqual([[1], [2, 3, 4]]);
  batches[1]?.end();
  expect(await Promise.all(later)).toEqual([20, 30, 40]);
});

test('batches are bounded in number, calls and weight; a call heavier than the bound goes alone', async () => {
  const { batches, begun, call } = held({ maxConcurrent: 2, maxSize: 3, maxWeight: 10, weigh: (n) => n });
  const all = [1, 1, 1, 5, 5, 50, 1].map(call);
  await turn();
  expect(begun()).toEqual([
    [1, 1, 1],
    [5, 5],
  ]);
  batches[0]?.end();
  await expect.poll(() => begun().at(2)).toEqual([50]);
  batches[1]?.end();
  await expect.poll(() => begun().at(3)).toEqual([1]);
  batches[2]?.end();
  batches[3]?.end();
  expect(await Promise.all(all)).toEqual([10, 10, 10, 50, 50, 500, 10]);
});

test('calls of one key that wait are one; a call that comes after its batch began is another', async () => {
  const { batches, begun, call } = held({ maxConcurrent: 1, maxSize: 2, keyOf: String });
  const first = [1, 1, 2, 3, 3].map(call);
  await turn();
  expect(begun()).toEqual([[1, 2]]);
  const later = [1, 3].map(call);
  batches[0]?.end();
  await expect.poll(() => begun().at(1)).toEqual([3, 1]);
  batches[1]?.end();
  expect(await Promise.all([...first, ...later])).toEqual([10, 10, 20, 30, 30, 10, 30]);
  batches.length = 0;
  const failing = Promise.allSettled([4, 4].map(call));
  await turn();
  batches[0]?.fail(new Error('gone'));
  expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('a batch that fails fails its own calls only, and the next goes on', async () => {
  const { batches, call } = held({ maxConcurrent: 1, maxSize: 2 });
  const calls = [1, 2, 3].map(call);
  const ended = Promise.allSettled(calls);
  await turn();
  batches[0]?.fail(new Error('gone'));
  await expect.poll(() => batches.length).toBe(2);
  batches[1]?.end();
  expect((await ended).map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual(['failed', 'failed', 30]);
});

test('a call that cannot be weighed fails alone', async () => {
  const weigh = (input: number): number => {
    if (input < 0) throw new Error('no weight');
    return input;
  };
  const doubled = batch(async (inputs: readonly number[]) => inputs.map((input) => input * 2), { maxConcurrent: 1, maxSize: 10, maxWeight: 10, weigh });
  await expect(Promise.allSettled([doubled(1), doubled(-1), doubled(2)])).resolves.toMatchObject([{ value: 2 }, { status: 'rejected' }, { value: 4 }]);
});
