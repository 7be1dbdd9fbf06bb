// The thread that reads large cards for dossiers; card-facts.ts sends it one at a time.
import { parentPort } from 'node:worker_threads';
import { type Answer, cardFactsHere, type Task } from './card-facts.ts';

parentPort?.on('message', (task: Task | null) => {
  parentPort?.postMessage(task === null ? {} : answer(task));
});

function answer(task: Task): Answer {
  try {
    return cardFactsHere(task);
  } catch (error) {
    return { fault: error instanceof Error ? error.message : 'the card could not be read' };
  }
}
