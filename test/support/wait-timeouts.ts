// For each file of tests: its databases go when it is over; and how long a test waits for a condition before it fails. On a busy machine everything takes its time; what never comes fails all the same.
import { afterAll, vi } from 'vitest';
import { dropDatabases } from './servers.ts';

const waitTimeoutMs = 60_000;
/** A wait that names less than this is a question ("does it answer within 3 s?"), not patience. */
const questionMs = 5_000;

// Each file runs this again, in a process that others have run it in.
const ORIGINAL = Symbol.for('svc.vi.waitFor');
const kept: typeof vi & { [ORIGINAL]?: typeof vi.waitFor } = vi;
const waitFor = (kept[ORIGINAL] ??= vi.waitFor);
vi.waitFor = (callback, given = {}) => {
  const options = typeof given === 'number' ? { timeout: given } : given;
  const { timeout = waitTimeoutMs } = options;
  return waitFor(callback, { ...options, timeout: timeout < questionMs ? timeout : Math.max(timeout, waitTimeoutMs) });
};

// Set up first, so it runs after all that the file has to close.
afterAll(() => dropDatabases());
