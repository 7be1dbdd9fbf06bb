// Starts the thread that reads a description, and ends it when it takes too long or too much.
import { Worker } from 'node:worker_threads';
import type { GeneratedFile } from '../print/project.ts';
import { BadDescription } from './document.ts';
import type { Options } from './model.ts';
import type { Preview } from './preview.ts';

export interface Work {
  text: string;
  options: Options;
  public: boolean | undefined;
}

export interface Generated {
  name: string;
  files: GeneratedFile[];
  preview: Preview;
}

export type WorkResult = ({ ok: true } & Generated) | { ok: false; message: string };

const MAX_MS = 30_000;
const MAX_MEMORY_MIB = 1_536;
/** More would take the processors from everything else. */
const AT_ONCE = 2;
const waiting: (() => void)[] = [];
let running = 0;

/** @throws BadDescription */
export async function generateInThread(work: Work): Promise<Generated> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
  try {
    const result = await inThread(work);
    if (!result.ok) throw new BadDescription(result.message);
    return result;
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

function inThread(work: Work): Promise<WorkResult> {
  const resourceLimits = { maxOldGenerationSizeMb: MAX_MEMORY_MIB, stackSizeMb: 16 };
  const thread = new Worker(new URL('./thread.ts', import.meta.url), { workerData: work, resourceLimits, execArgv: ['--disable-warning=ExperimentalWarning'] });
  return new Promise<WorkResult>((resolve, reject) => {
    const timer = setTimeout(() => reject(new BadDescription(`The description takes longer than ${MAX_MS / 1000} s to read: give a smaller one`)), MAX_MS);
    thread.once('message', resolve);
    thread.once('error', (error) =>
      reject(isTooLarge(error) ? new BadDescription('The description takes more memory than there is for it: give a smaller one') : error),
    );
    thread.once('exit', () => reject(new Error('the thread that reads a description ended without a result')));
    thread.once('message', () => clearTimeout(timer));
    thread.once('exit', () => clearTimeout(timer));
  }).finally(() => void thread.terminate());
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && (('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') || error instanceof RangeError);
}
