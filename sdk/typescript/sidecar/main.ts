// The sidecar as a program: `svc sidecar --dsl … --worker-url …` and an image's entry run this.
import { readFile } from 'node:fs/promises';
import { DSL_FILE } from '../../../contract/wire/dsl.ts';
import type { StartedAgent, StartOptions } from '../runtime/start.ts';
import { WorkerFailed } from './errors.ts';
import { startSidecar } from './start.ts';
import type { WorkerSource } from './supervisor.ts';

export interface SidecarArguments extends StartOptions {
  /** Path of the compiled declaration; default .svc/agent.dsl.json */
  dsl?: string;
  worker: WorkerSource;
}

/** Serves until SIGTERM or SIGINT, then drains and ends. @throws WorkerFailed */
export async function runSidecar({ dsl = DSL_FILE, ...options }: SidecarArguments): Promise<StartedAgent> {
  const text = await readFile(dsl, 'utf8').catch((error: unknown) => {
    throw new WorkerFailed(`${dsl} cannot be read: ${error instanceof Error ? error.message : String(error)}; make it with \`svc compile\``);
  });
  const started = await startSidecar({ ...options, dsl: parse(dsl, text) });
  const stop = (): void => void started.shutdown();
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  return started;
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new WorkerFailed(`${path} is not JSON; make it again with \`svc compile\``);
  }
}
