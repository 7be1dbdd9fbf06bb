// The thread in which schemas of cards are read; check-args.ts sends it one at a time.
import { parentPort } from 'node:worker_threads';
import { issuesIn } from './issues-in.ts';
import type { Answer, Task } from './check-args.ts';

parentPort?.on('message', (task: Task | null) => {
  const answer: Answer = task === null ? { issues: [] } : { issues: issuesIn(task.schema, task.args) };
  parentPort?.postMessage(answer);
});
