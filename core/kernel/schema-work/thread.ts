// The thread in which schemas and patterns of accounts are read; ask.ts sends it one task at a time.
import { answerTasks } from '../answer-tasks.ts';
import type { Answered, SchemaTask } from './ask.ts';
import { TASKS } from './tasks.ts';

answerTasks(({ name, input }: SchemaTask): Answered => {
  // Safe: ask.ts pairs a name with its own input.
  const work = TASKS[name] as (given: unknown) => unknown;
  try {
    return { value: JSON.stringify(work(JSON.parse(input))) };
  } catch (error) {
    // Its author's fault, and no reason to end the thread.
    return { value: undefined, failed: error instanceof Error ? error.message : String(error) };
  }
});
