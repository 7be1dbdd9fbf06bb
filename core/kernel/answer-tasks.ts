// A thread's side of task-thread.ts and fair-threads.ts: it answers each task that it is sent.
import { parentPort } from 'node:worker_threads';
import type { TaskAnswer } from './task-thread.ts';

export function answerTasks<T, A extends object>(work: (task: T) => A | Promise<A>): void {
  parentPort?.on('message', (task: T | null) => {
    void answerTo(work, task).then((answer) => parentPort?.postMessage(answer));
  });
}

async function answerTo<T, A extends object>(work: (task: T) => A | Promise<A>, task: T | null): Promise<A | TaskAnswer<object>> {
  // It only asks whether the thread is there.
  if (task === null) return {};
  try {
    return await work(task);
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
