// What a test asks for: a database of its own, and the run's Temporal server.
// starts: test/support/keeper.ts
import { randomUUID } from 'node:crypto';
import { z } from 'zod';

/** A migrated, empty database, one per call (about 25 ms); it goes with the run. */
export async function testDatabase(): Promise<{ url: string }> {
  return ask('database', z.object({ url: z.string() }));
}

/** The run's Temporal server, shared by all files; the task queue is the caller's own. */
export async function testTemporal(): Promise<{ address: string; namespace: string; taskQueue: string }> {
  const server = await ask('temporal', z.object({ address: z.string(), namespace: z.string() }));
  return { ...server, taskQueue: `test-${randomUUID()}` };
}

async function ask<T>(what: string, shape: z.ZodType<T>): Promise<T> {
  // Benchmarks use what is beside this without a test runner around them.
  const { inject } = await import('vitest');
  const response = await fetch(`${inject('keeper')}/${what}`);
  if (!response.ok) throw new Error(`no ${what} for this test: ${await response.text()}`);
  return shape.parse(await response.json());
}
