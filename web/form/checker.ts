// Asks the worker that checks; loaded with the first form that is sent.
import type { CheckRequest } from './check.worker.ts';
import type { FormIssue } from './issues.ts';
import type { JsonSchema } from './schema.ts';

const PATIENCE_MS = 3_000;

let worker: Worker | undefined;
let lastId = 0;

/** Nothing where the check takes too long: the platform checks again. */
export function checked(schema: JsonSchema, value: unknown): Promise<FormIssue[]> {
  worker ??= new Worker(new URL('./check.worker.ts', import.meta.url), { type: 'module' });
  const [mine, id] = [worker, (lastId += 1)];
  return new Promise((resolve) => {
    const end = (issues: FormIssue[]): void => {
      clearTimeout(timer);
      mine.removeEventListener('message', answered);
      mine.removeEventListener('error', failed);
      resolve(issues);
    };
    const failed = (): void => {
      if (worker === mine) worker = undefined;
      mine.terminate();
      end([]);
    };
    const answered = ({ data }: MessageEvent<{ id: number; issues: FormIssue[] }>): void => void (data.id === id && end(data.issues));
    const timer = setTimeout(failed, PATIENCE_MS);
    mine.addEventListener('message', answered);
    mine.addEventListener('error', failed);
    mine.postMessage({ id, schema, value: value === undefined ? undefined : plain(value) } satisfies CheckRequest);
  });
}

/** As it would be sent. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
