// The worker of bench/answer-peer.ts in a process of its own. argv: address, namespace.
import { NativeConnection, Worker } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';

const [, , address = '', namespace = ''] = process.argv;
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  namespace,
  taskQueue: 'peer',
  workflowsPath: fileURLToPath(new URL('./answer-peer.ts', import.meta.url)),
  activities: { heard: async () => String(process.hrtime.bigint()) },
});
process.send?.('ready');
await worker.run();
