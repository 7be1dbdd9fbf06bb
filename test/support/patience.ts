// How long tests wait for a condition where they do not say: a busy machine takes its time, and what never comes fails all the same.
import { vi } from 'vitest';

const patienceMs = 20_000;

const { waitFor } = vi;
vi.waitFor = (callback, options = {}) => waitFor(callback, typeof options === 'number' ? options : { timeout: patienceMs, ...options });
