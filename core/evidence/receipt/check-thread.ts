// The thread that checks large receipts; check.ts sends it one at a time.
import { parentPort } from 'node:worker_threads';
import { type Answer, checkHere, type Task } from './check.ts';

parentPort?.on('message', (task: Task | null) => {
  // The first only asks whether it is there.
  if (task === null) parentPort?.postMessage({});
  else void answered(task).then((answer) => parentPort?.postMessage(answer));
});

async function answered(task: Task): Promise<Answer> {
  return checkHere(task).catch((error: unknown) => ({ fault: error instanceof Error ? error.message : 'the receipt could not be checked' }));
}
