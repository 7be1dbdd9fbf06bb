// Workers of every queue in the process of a test, on a real Temporal server.
import { NativeConnection } from '@temporalio/worker';
import { createWorkers, type QueueOptions } from '#worker/queues.ts';
import { testWorkflows } from './workflows.ts';

/** Resolves with what stops them, once: they end their steps, and their connection is closed. */
export async function startTestWorkers(temporal: { address: string; namespace: string }, activities: QueueOptions['activities']): Promise<() => Promise<void>> {
  const connection = await NativeConnection.connect({ address: temporal.address });
  const workflows = { workflowBundle: await testWorkflows() };
  const workers = await createWorkers({ connection, namespace: temporal.namespace, node: 'local', activities, workflows });
  const running = Promise.all(workers.map((worker) => worker.run()));
  return async () => {
    for (const worker of workers) worker.shutdown();
    await running;
    await connection.close();
  };
}
