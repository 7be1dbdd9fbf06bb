// Workers of several builds of the workflow code, on the run's Temporal server.
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { temporalVersions, type WorkflowVersions } from '#drivers/workflows/versions.ts';
import { temporalWorkflows } from '#drivers/workflows/temporal.ts';
import { testTemporal } from './servers.ts';

export async function workersOf(...buildIds: string[]): Promise<{ versions: WorkflowVersions; stop(): Promise<void> }> {
  const temporal = await testTemporal();
  const driver = temporalWorkflows(temporal);
  const connection = await NativeConnection.connect({ address: temporal.address });
  const workflowBundle = await bundleWorkflowCode({ workflowsPath: fileURLToPath(new URL('../../worker/version/test/before.ts', import.meta.url)) });
  const workers = await Promise.all(
    buildIds.map((buildId) =>
      Worker.create({
        connection,
        namespace: temporal.namespace,
        taskQueue: 'control',
        workflowBundle,
        shutdownGraceTime: '1s',
        workerDeploymentOptions: { version: { deploymentName: 'svc', buildId }, useWorkerVersioning: true, defaultVersioningBehavior: 'AUTO_UPGRADE' },
      }),
    ),
  );
  const running = Promise.all(workers.map((worker) => worker.run()));
  return {
    versions: temporalVersions(driver.client),
    async stop() {
      for (const worker of workers) worker.shutdown();
      await running;
      await Promise.all([connection.close(), driver.close()]);
    },
  };
}
