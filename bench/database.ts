// A disposable PostgreSQL for the benchmarks, migrated, durable settings off on neither side: both peers use
// the same server.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databases } from '#test/support/keeper-databases.ts';

export interface BenchCluster {
  /** A migrated, empty database. */
  create(): Promise<string>;
  stop(): Promise<void>;
}

export async function benchCluster(): Promise<BenchCluster> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  // PostgreSQL runs as a user of its own where we are root: it must be able to pass.
  await chmod(dir, 0o711);
  const cluster = databases(dir);
  return {
    create: async () => (await cluster.create()).url,
    async stop() {
      await cluster.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
