// Everything a durable run crosses, for the benchmarks: a disposable PostgreSQL and Temporal, API, worker and
// agent in processes of their own.
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DurableWorld, durableWorld } from '#test/support/durable/world.ts';
import { databases } from '#test/support/keeper-databases.ts';
import { temporalServer } from '#test/support/keeper-temporal.ts';

export interface BenchWorld {
  w: DurableWorld;
  temporal: { address: string; namespace: string };
  close(): Promise<void>;
}

interface BenchOptions {
  /** PostgreSQL waits for the disk at every commit, as in production; otherwise never, as in tests. */
  durable?: boolean;
  /** `host:port` of model servers on this machine that the worker may call. */
  modelHosts?: string[];
}

export async function benchWorld({ durable = false, modelHosts = [] }: BenchOptions = {}): Promise<BenchWorld> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  // PostgreSQL runs as a user of its own where we are root: it must be able to pass.
  await chmod(dir, 0o711);
  const [cluster, server] = [databases(dir, { durable }), temporalServer(dir)];
  const stop = async (): Promise<void> => {
    await Promise.all([cluster.stop(), server.stop()]);
    await rm(dir, { recursive: true, force: true });
  };
  try {
    const [{ url }, temporal] = [await cluster.create(), await server.address()];
    const w = await durableWorld({ temporal, databaseUrl: url, strict: false, modelHosts });
    return { w, temporal, close: () => w.close().finally(stop) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Resident memory of a process, MiB. */
export async function residentMib(pid: number): Promise<number> {
  const [, kib = '0'] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}
