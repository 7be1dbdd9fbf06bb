// When an instance slept and how long it took to wake: its last wakes, for who counts them.
import type { InstanceTier, InstanceWake } from '#drivers/runtime/port.ts';

/** They are asked for every few seconds. */
const MAX_WAKES = 200;

export class Naps {
  readonly #record: { last_used_at: number };
  #since: number | undefined;
  readonly wakes: InstanceWake[] = [];

  constructor(record: { last_used_at: number }) {
    this.#record = record;
  }

  /** Deeper sleep is the same nap. */
  fellAsleep(at = Date.now()): void {
    this.#since ??= at;
  }

  woke(from: InstanceTier, ms: number, at = Date.now()): void {
    // Of one that slept when this process took it up, only its last use is known.
    const since = this.#since ?? this.#record.last_used_at;
    this.#since = undefined;
    if (from !== 'paused' && from !== 'suspended' && from !== 'cold') return;
    const last = this.wakes.at(-1)?.at ?? 0;
    this.wakes.push({ at: Math.max(at, last + 1), from, ms: Math.round(ms), slept_ms: Math.max(0, Math.round(at - ms - since)) });
    if (this.wakes.length > MAX_WAKES) this.wakes.shift();
  }
}
