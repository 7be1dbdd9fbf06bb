// What a test asks for: a database of its own, and the run's Temporal server.
// starts: test/support/keeper.ts
import { randomUUID } from 'node:crypto';
import { z } from 'zod';

const Made = z.object({ name: z.string(), url: z.string() });
export type MadeDatabase = z.infer<typeof Made>;

/**
 * A migrated, empty database, or a copy of one that `keepDatabase` kept; one per call (some 50 ms of a
 * processor). It goes with the file of tests.
 */
export async function testDatabase(from?: string): Promise<MadeDatabase> {
  const made = await ask(`database${from === undefined ? '' : `?from=${from}`}`, Made);
  ofThisFile().add(made.name);
  return made;
}

/** It stays for the files that come. */
export function keepDatabase(name: string): void {
  ofThisFile().delete(name);
}

/** Those that this file of tests made, or the given ones. */
export async function dropDatabases(names: Iterable<string> = ofThisFile()): Promise<void> {
  const gone = [...names];
  for (const name of gone) ofThisFile().delete(name);
  if (gone.length > 0) await ask(`drop?${gone.map((name) => `name=${name}`).join('&')}`, z.null());
}

/** A folder that goes with the run. */
export async function runFolder(): Promise<string> {
  return ask('folder', z.string());
}

/** Files may share a process without sharing this module. */
function ofThisFile(): Set<string> {
  const shared: typeof globalThis & { [MADE]?: Set<string> } = globalThis;
  return (shared[MADE] ??= new Set());
}

const MADE: unique symbol = Symbol.for('svc.test.databases');

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
