import { expect, it } from 'vitest';
import { ReadyProcesses } from './ready.ts';

const [a, b, c] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];

function pool(limit: number) {
  const ended: string[] = [];
  return { ended, ready: new ReadyProcesses<string>(limit, async (process) => void ended.push(process)) };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

it('hands each process out once; beyond the limit the one kept longest gives way', async () => {
  const { ready, ended } = pool(2);
  for (const machine of [a, b, c]) {
    ready.offer(machine, async () => machine.name);
    await settled();
  }
  expect(ended).toEqual(['a']);
  expect(await ready.take(a)).toBeUndefined();
  expect(await ready.take(c)).toBe('c');
  expect(await ready.take(c)).toBeUndefined();
  expect(await ready.take(b)).toBe('b');
});

it('one that is being started is waited for; one that has not begun is not, and never begins', async () => {
  const { ready } = pool(2);
  let began = (_process: string): void => undefined;
  let others = 0;
  ready.offer(a, () => new Promise((resolve) => (began = resolve)));
  ready.offer(b, async () => `b${(others += 1)}`);
  await settled();
  expect(await ready.take(b)).toBeUndefined();
  const taken = ready.take(a);
  began('a');
  expect(await taken).toBe('a');
  ready.offer(b, async () => `b${(others += 1)}`);
  await settled();
  expect(await ready.take(b)).toBe('b1');
});

it('given up while it starts it is ended, and its machine does not wake beside it', async () => {
  const { ready, ended } = pool(1);
  let began = (_process: string): void => undefined;
  ready.offer(a, () => new Promise((resolve) => (began = resolve)));
  await settled();
  ready.offer(b, async () => 'b');
  const taken = ready.take(a);
  began('a');
  expect(await taken).toBeUndefined();
  expect(ended).toEqual(['a']);
});

it('one that fails to start does not count and blocks no other', async () => {
  const { ready } = pool(1);
  ready.offer(a, () => Promise.reject(new Error('no memory')));
  await settled();
  expect(await ready.take(a)).toBeUndefined();
  ready.offer(b, async () => 'b');
  await settled();
  expect(await ready.take(b)).toBe('b');
});

it('closed, it ends them all and starts no more; with a limit of none it starts none', async () => {
  const { ready, ended } = pool(2);
  ready.offer(a, async () => 'a');
  ready.offer(b, async () => 'b');
  await ready.close();
  ready.offer(c, async () => 'c');
  await settled();
  expect(await ready.take(c)).toBeUndefined();
  expect(ended.length).toBeLessThanOrEqual(2);
  const none = pool(0);
  none.ready.offer(a, async () => 'a');
  await settled();
  expect(await none.ready.take(a)).toBeUndefined();
});
