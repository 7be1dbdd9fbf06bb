// The thread that decides by long sets of rules; process-engine.ts sends it one question at a time.
import { parentPort } from 'node:worker_threads';
import { Engine } from './engine.ts';
import type { Answer, Task } from './process-engine.ts';

const engine = new Engine();

parentPort?.on('message', (task: Task | null) => {
  parentPort?.postMessage(task === null ? {} : answer(task));
});

function answer({ set, facts }: Task): Answer {
  return facts === null ? { broken: engine.brokenBy(set) } : { verdict: engine.decide(set, facts) };
}
