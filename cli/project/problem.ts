// A fault in an author's project: where it is and what to do.
import { relative } from 'node:path';
import { CliError } from '../lib/errors.ts';

export interface Problem {
  file?: string | undefined;
  /** From 1. */
  line?: number | undefined;
  message: string;
}

export class ProjectError extends CliError {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(problems.map((problem) => formatProblem(problem)).join('\n'));
    this.name = 'ProjectError';
    this.problems = problems;
  }
}

/** `agent.ts:12: greet: …`, with paths as seen from `from`. */
export function formatProblem({ file, line, message }: Problem, from: string = process.cwd()): string {
  if (!file) return message;
  const path = relative(from, file);
  return `${path.startsWith('../../..') ? file : path}${line === undefined ? '' : `:${line}`}: ${message}`;
}
