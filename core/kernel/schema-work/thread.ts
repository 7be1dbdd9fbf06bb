// The thread in which schemas and patterns of accounts are read; ask.ts sends it one task at a time.
import { parentPort } from 'node:worker_threads';
import type { Answer, Task } from './ask.ts';
import { TASKS } from './tasks.ts';

parentPort?.on('message', (task: Task | null) => {
  parentPort?.postMessage(task === null ? { value: undefined } : answerTo(task));
});

function answerTo({ name, input }: Task): Answer {
  // Safe: ask.ts pairs a name with its own input.
  const work = TASKS[name] as (given: unknown) => unknown;
  try {
    return { value: JSON.stringify(work(JSON.parse(input))) };
  } catch (error) {
    // Its author's fault, and no reason to end the thread.
    return { value: undefined, failed: error instanceof Error ? error.message : String(error) };
  }
}
