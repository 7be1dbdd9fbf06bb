// The thread that parses and tries rules of users; apart.ts sends one task at a time.
import { parentPort } from 'node:worker_threads';
import { Engine } from './engine.ts';
import { inspect } from './inspect.ts';
import type { Answer, Task } from './apart.ts';
import { type CedarModule, loadCedar } from './load.ts';

let kept: CedarModule | undefined;

function load(fresh: boolean): CedarModule {
  if (fresh) kept = undefined;
  return (kept ??= loadCedar());
}

parentPort?.on('message', (task: Task | null) => {
  parentPort?.postMessage(task === null ? {} : answer(task));
});

function answer({ set, facts }: Task): Answer {
  try {
    const inspected = inspect(load, set);
    if (inspected.problems.length > 0) return { inspected, verdicts: [] };
    const engine = new Engine(load);
    return { inspected, verdicts: facts.map((one) => engine.decide(set, one)) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : 'the rules could not be read' };
  }
}
