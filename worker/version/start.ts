// Versions of the workflow code in this process; nothing of it on a server that knows no versions. A worker
// never says which version is current: one with old code that is started again would take over from a newer
// one. `up` does, and `svc workers set-current`.
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { WorkflowVersions } from '#drivers/workflows/versions.ts';
import type { WorkflowBundle } from '../bundle.ts';
import { createControlWorker, type QueueOptions } from '../queues.ts';
import { versions, type Versions } from './drain.ts';
import { bundleStore } from './bundle-store.ts';

export interface RunningVersions extends Versions {
  /** Of this process's own code; undefined: this server knows no versions. */
  buildId: string | undefined;
}

export interface VersionsIn {
  server: WorkflowVersions;
  bundle: WorkflowBundle;
  stateDir: string;
  wanted(): Promise<string | undefined>;
  queues: Omit<QueueOptions, 'workflows' | 'buildId'>;
  log: Logger;
}

export async function startVersions({ server, bundle, stateDir, wanted, queues, log }: VersionsIn): Promise<RunningVersions> {
  if (!(await server.isSupported())) {
    log.warn('this Temporal server knows no worker versions: open workflows go on with whatever code there is');
    return { buildId: undefined, tend: async () => undefined, draining: () => [], stop: async () => undefined };
  }
  const { buildId, codePath } = bundle;
  const bundles = bundleStore(join(stateDir, 'workflows'));
  await bundles.keep(buildId, codePath);
  const createWorker = (old: WorkflowBundle) =>
    createControlWorker({ ...queues, workflows: { workflowBundle: { codePath: old.codePath } }, buildId: old.buildId });
  return { ...versions({ server, buildId, bundles, wanted, createWorker, log }), buildId };
}
