// Files of tests run one after the other in one process (vitest.config.ts): what one of them leaves behind
// would be the next one's. A file that does, fails.
import { afterAll, expect, vi } from 'vitest';

const before = { ...process.env };
const folder = process.cwd();

// Set up first, so it runs after all that the file has to say.
afterAll(() => {
  const after = process.env;
  // Only names: values may be secrets.
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => before[name] !== after[name]);
  expect({ environment: changed, folder: process.cwd(), fakeTimers: vi.isFakeTimers() }).toEqual({ environment: [], folder, fakeTimers: false });
});
