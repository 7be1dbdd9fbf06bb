// Versions of the workflow code in this process; nothing of it on a server that knows no versions.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { WorkflowBundle } from '../bundle.ts';
import { createControlWorker, type QueueOptions } from '../queues.ts';
import { versions, type Versions } from './drain.ts';
import { keptBundles } from './kept.ts';
import { knowsVersions, makeCurrent } from './server.ts';

export interface RunningVersions extends Versions {
  /** Of the current code; undefined: this server knows no versions. */
  buildId: string | undefined;
  /** To be called when the workers run: from then on new workflows come to them. */
  makeCurrent(): Promise<void>;
}

export interface VersionsIn {
  client: Client;
  bundle: WorkflowBundle;
  stateDir: string;
  queues: Omit<QueueOptions, 'workflows' | 'buildId'>;
  log: Logger;
}

/** The server notices a new worker within a second or two. */
const noticedMs = 60_000;
const lookAgainMs = 250;

export async function startVersions({ client, bundle, stateDir, queues, log }: VersionsIn): Promise<RunningVersions> {
  if (!(await knowsVersions(client))) {
    log.warn('this Temporal server knows no worker versions: open workflows go on with whatever code there is');
    return { buildId: undefined, makeCurrent: async () => undefined, tend: async () => undefined, draining: () => [], stop: async () => undefined };
  }
  const { buildId, codePath } = bundle;
  const bundles = keptBundles(join(stateDir, 'workflows'));
  await bundles.keep(buildId, codePath);
  const createWorker = (old: WorkflowBundle) =>
    createControlWorker({ ...queues, workflows: { workflowBundle: { codePath: old.codePath } }, buildId: old.buildId });
  return {
    ...versions({ client, buildId, bundles, createWorker, log }),
    buildId,
    makeCurrent: async () => {
      const deadline = performance.now() + noticedMs;
      while (!(await makeCurrent(client, buildId))) {
        if (performance.now() > deadline) throw new Error(`Temporal has not noticed this worker in ${noticedMs / 1000} s: it cannot take work`);
        await delay(lookAgainMs);
      }
      log.info({ build: buildId }, 'the current version of the workflow code');
    },
  };
}
