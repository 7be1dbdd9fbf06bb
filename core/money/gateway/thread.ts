// The thread that reads large answers of models; large-answers.ts sends it one at a time.
import { parentPort } from 'node:worker_threads';
import { type Answer, readHere, type Task } from './large-answers.ts';

parentPort?.on('message', (task: Task | null) => {
  parentPort?.postMessage(task === null ? {} : answered(task));
});

function answered(task: Task): Answer {
  try {
    return readHere(task);
  } catch (error) {
    return { fault: error instanceof Error ? error.message : 'the answer could not be read' };
  }
}
