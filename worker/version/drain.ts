// A platform that is restarted in place has no worker of the old code left. Workflows pinned to it continue all the same: this process runs
// the kept bundle beside the current one until the last of them has ended. What no bundle is left for continues with the current code.
import type { Client } from '@temporalio/client';
import type { Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { KeptBundles } from './kept.ts';
import { countPinned, currentBuild, makeCurrent, pinnedElsewhere, unpin } from './server.ts';

export interface VersionOptions {
  client: Client;
  /** Of the current code. */
  buildId: string;
  bundles: KeptBundles;
  /** A worker for workflows and quick activities with this code; not running yet. */
  createWorker(bundle: { buildId: string; codePath: string }): Promise<Worker>;
  log: Logger;
}

export interface Versions {
  /** To be called again and again: looks after old versions, and after a server that lost what it knew of ours. */
  tend(): Promise<void>;
  /** Build ids that still have workflows pinned to them. */
  draining(): string[];
  /** Resolves when the workers of old versions have ended. */
  stop(): Promise<void>;
}

const batch = 100;

export function versions({ client, buildId, bundles, createWorker, log }: VersionOptions): Versions {
  const old = new Map<string, { worker: Worker; ended: Promise<void> }>();
  let stopped = false;

  async function begin(bundle: { buildId: string; codePath: string }, open: number): Promise<void> {
    const worker = await createWorker(bundle);
    const ended = worker.run().catch((error: unknown) => log.error({ err: error, build: bundle.buildId }, 'the worker of an earlier version ended'));
    old.set(bundle.buildId, { worker, ended });
    log.info({ build: bundle.buildId, open }, 'an earlier version goes on until its workflows have ended');
    if (stopped) worker.shutdown();
  }

  async function end(id: string): Promise<void> {
    const running = old.get(id);
    running?.worker.shutdown();
    await running?.ended;
    old.delete(id);
    await bundles.remove(id);
    log.info({ build: id }, 'an earlier version is done with');
  }

  return {
    async tend() {
      if ((await currentBuild(client)) === undefined) await makeCurrent(client, buildId);
      const kept = (await bundles.list()).filter((bundle) => bundle.buildId !== buildId);
      for (const bundle of kept) {
        const open = await countPinned(client, bundle.buildId);
        if (open === 0) await end(bundle.buildId);
        else if (!old.has(bundle.buildId) && !stopped) await begin(bundle, open);
      }
      for (const workflowId of await pinnedElsewhere(client, [buildId, ...kept.map((bundle) => bundle.buildId)], batch)) {
        log.warn({ workflow_id: workflowId }, 'its code is no longer there: it goes on with the current code');
        await unpin(client, workflowId);
      }
    },
    draining: () => [...old.keys()],
    async stop() {
      stopped = true;
      for (const { worker } of old.values()) worker.shutdown();
      await Promise.all([...old.values()].map(({ ended }) => ended));
    },
  };
}
