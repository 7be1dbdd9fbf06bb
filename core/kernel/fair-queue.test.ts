import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { TooManyRequests } from './errors.ts';
import { FairQueue } from './fair-queue.ts';

const limits = { maxConcurrent: 2, maxQueuedPerRun: 3, maxQueuedPerTenant: 5, acquireTimeoutMs: 10_000 };

/** Work that goes on until it is let go; what has begun, in order. */
function stage(queue: FairQueue) {
  const begun: string[] = [];
  const going = new Map<string, () => void>();
  return {
    begun,
    send: (tenant: string, run: string, name: string) =>
      queue.run({ tenant, run }, async () => {
        begun.push(name);
        await new Promise<void>((resolve) => going.set(name, resolve));
        return name;
      }),
    end: async (name: string) => {
      going.get(name)?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

it('one at a time for each run, in the order they came', async () => {
  const queue = new FairQueue(limits);
  const { begun, send, end } = stage(queue);
  const all = ['a', 'b', 'c'].map((name) => send('t', 'r', name));
  const other = send('t', 's', 'd');
  await vi.waitFor(() => expect(begun).toEqual(['a', 'd']));
  for (const name of ['a', 'b', 'c', 'd']) await end(name);
  expect(begun).toEqual(['a', 'd', 'b', 'c']);
  expect(await Promise.all([...all, other])).toEqual(['a', 'b', 'c', 'd']);
  expect(queue.tenants).toBe(0);
});

it('a tenant with much to do waits for the turns of others, and they for one of its own', async () => {
  const { begun, send, end } = stage(new FairQueue({ ...limits, maxConcurrent: 1 }));
  const all = [send('busy', 'r0', 'first'), ...['r1', 'r2', 'r3'].map((run) => send('busy', run, run)), send('other', 's', 's'), send('third', 'u', 'u')];
  await vi.waitFor(() => expect(begun).toEqual(['first']));
  for (let n = 0; n < all.length; n += 1) await end(begun.at(-1) ?? '');
  expect(begun).toEqual(['first', 'r1', 's', 'u', 'r2', 'r3']);
  await Promise.all(all);
});

it('the lines of a run and of a tenant end somewhere; who is sent away may come again', async () => {
  const queue = new FairQueue({ ...limits, maxConcurrent: 1 });
  const { send, end, begun } = stage(queue);
  const taken = [send('t', 'r', 'a'), send('t', 'r', 'b'), send('t', 'r', 'c'), send('t', 'r', 'd')];
  await expect(send('t', 'r', 'e')).rejects.toMatchObject({ code: 'run_busy', details: { retry_after_seconds: 2 } });
  taken.push(send('t', 's', 'f'), send('t', 's', 'g'));
  await expect(send('t', 'u', 'h')).rejects.toBeInstanceOf(TooManyRequests);
  taken.push(send('v', 'w', 'i'));
  for (let n = 0; n < 7; n += 1) await end(begun.at(-1) ?? '');
  expect((await Promise.all(taken)).toSorted()).toEqual(['a', 'b', 'c', 'd', 'f', 'g', 'i']);
  expect(queue.tenants).toBe(0);
});

it('no request waits forever, and one that left the queue is not started', async () => {
  vi.useFakeTimers();
  try {
    const queue = new FairQueue({ ...limits, maxConcurrent: 1 });
    const first = Promise.withResolvers<void>();
    const done = queue.run({ tenant: 't', run: 'r' }, () => first.promise);
    const late = vi.fn(async () => undefined);
    const waiting = [queue.run({ tenant: 't', run: 'r' }, late), queue.run({ tenant: 'u', run: 's' }, late)].map((one) =>
      expect(one).rejects.toMatchObject({ code: 'run_busy' }),
    );
    await vi.advanceTimersByTimeAsync(limits.acquireTimeoutMs);
    await Promise.all(waiting);
    first.resolve();
    await done;
    expect(await queue.run({ tenant: 't', run: 'r' }, async () => 'later')).toBe('later');
    expect([late.mock.calls.length, queue.tenants]).toEqual([0, 0]);
  } finally {
    vi.useRealTimers();
  }
});

it('a turn that fails gives the next one its place', async () => {
  const queue = new FairQueue({ ...limits, maxConcurrent: 1 });
  const failing = queue.run({ tenant: 't', run: 'r' }, () => Promise.reject(new Error('no')));
  const next = queue.run({ tenant: 't', run: 'r' }, async () => 'yes');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('yes');
  expect(queue.tenants).toBe(0);
});

it('whatever is sent: never two of a run, never more than the limit, all done, nothing left', async () => {
  const sent = fc.array(fc.record({ tenant: fc.constantFrom('a', 'b', 'c'), run: fc.constantFrom('1', '2'), ticks: fc.nat(3) }), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(sent, fc.integer({ min: 1, max: 3 }), async (works, maxConcurrent) => {
      const queue = new FairQueue({ maxConcurrent, maxQueuedPerRun: 100, maxQueuedPerTenant: 100, acquireTimeoutMs: 60_000 });
      const going = new Set<string>();
      const answers = await Promise.all(
        works.map(({ tenant, run, ticks }, n) =>
          queue.run({ tenant, run: tenant + run }, async () => {
            expect(going.has(tenant + run)).toBe(false);
            going.add(tenant + run);
            expect(going.size).toBeLessThanOrEqual(maxConcurrent);
            for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
            going.delete(tenant + run);
            return n;
          }),
        ),
      );
      expect(answers).toEqual(works.map((_, n) => n));
      expect(queue.tenants).toBe(0);
    }),
  );
});
