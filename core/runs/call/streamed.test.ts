import { expect, test, vi } from 'vitest';
import { releasing } from './open-calls.ts';
import { Streamed } from './streamed.ts';

test('a call that cannot be ended is not looked at any more', async () => {
  vi.useFakeTimers();
  try {
    const [streamed, look] = [new Streamed(), vi.fn()];
    streamed.watch(1_000, look);
    vi.advanceTimersByTime(1_000);
    await expect(releasing([{ streamed }], () => Promise.reject(new Error('the database is down')))).rejects.toThrow('down');
    vi.advanceTimersByTime(10_000);
    expect(look).toHaveBeenCalledTimes(1);
  } finally {
    vi.useRealTimers();
  }
});
