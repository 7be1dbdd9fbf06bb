// How long a test waits for a condition before it fails: the same for all, whatever they say, and long. On a
// busy machine everything takes its time; what never comes fails all the same. A deadline of the product is
// proved by its outcome, not by a shorter wait.
import { expect, vi } from 'vitest';

const waitTimeoutMs = 60_000;

// Each file runs this again, in a process that others have run it in.
const ORIGINAL = Symbol.for('svc.waits');
type Waits = { waitFor: typeof vi.waitFor; waitUntil: typeof vi.waitUntil; poll: typeof expect.poll };
const kept: typeof vi & { [ORIGINAL]?: Waits } = vi;
const { waitFor, waitUntil, poll } = (kept[ORIGINAL] ??= { waitFor: vi.waitFor, waitUntil: vi.waitUntil, poll: expect.poll });

type Given = number | { timeout?: number; interval?: number };
const patient = (given: Given = {}) => {
  const options = typeof given === 'number' ? { timeout: given } : given;
  return { ...options, timeout: Math.max(options.timeout ?? 0, waitTimeoutMs) };
};
vi.waitFor = (callback, given) => waitFor(callback, patient(given));
vi.waitUntil = (callback, given) => waitUntil(callback, patient(given));
expect.poll = (actual, given) => poll(actual, { ...given, ...patient(given) });
