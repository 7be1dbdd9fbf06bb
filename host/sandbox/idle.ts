// Detects when this machine is idle, to do background work then.
import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

interface Sample {
  idle: number;
  total: number;
}

function sample(): Sample {
  const sum = { idle: 0, total: 0 };
  for (const { times } of cpus()) {
    sum.idle += times.idle;
    sum.total += times.user + times.nice + times.sys + times.irq + times.idle;
  }
  return sum;
}

/**
 * Resolves when most of the processors' time was unused for `overMs`, or after `atMostMs`; rejects when
 * aborted. Keeps no process alive.
 */
export async function untilIdle(overMs: number, atMostMs: number, signal: AbortSignal, read: () => Sample = sample): Promise<void> {
  const end = performance.now() + atMostMs;
  for (let before = read(); performance.now() < end;) {
    await delay(overMs, undefined, { signal, ref: false });
    const now = read();
    if (now.total > before.total && (now.idle - before.idle) / (now.total - before.total) >= 0.6) return;
    before = now;
  }
}
