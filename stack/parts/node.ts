// Our own programs: run by this Node, from the repository, with the composed environment.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Part, Service, Skipped, Task } from '../part.ts';
import type { Program } from '../program.ts';

export interface NodeProgram {
  repository: string;
  /** Path of the program's file, from the repository's root. */
  file: string;
  args?: string[];
  env: Record<string, string>;
}

function nodeProgram({ repository, file, args = [], env }: NodeProgram): Program {
  return { command: process.execPath, args: ['--disable-warning=ExperimentalWarning', join(repository, file), ...args], cwd: repository, env };
}

/** The service, or a note that its program does not exist. */
export function nodeService(program: NodeProgram, service: Omit<Service, 'kind' | 'program'> & { prepare?: () => Promise<void> }): Part {
  const { prepare, ...rest } = service;
  return (
    missing(program, service) ?? {
      ...rest,
      kind: 'service',
      program: async () => {
        await prepare?.();
        return nodeProgram(program);
      },
    }
  );
}

export function nodeTask(program: NodeProgram, task: Omit<Task, 'kind' | 'program'>): Part {
  return missing(program, task) ?? { ...task, kind: 'task', program: () => Promise.resolve(nodeProgram(program)) };
}

function missing({ repository, file }: NodeProgram, { name, after }: { name: string; after: string[] }): Skipped | undefined {
  return existsSync(join(repository, file)) ? undefined : { name, after, kind: 'skipped', note: `${file} does not exist` };
}
