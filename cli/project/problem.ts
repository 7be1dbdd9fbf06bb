// A fault in an author's project: where it is and what to do.
import { relative } from 'node:path';
import { CliError } from '../lib/errors.ts';

export interface Place {
  /** From 1. */
  line?: number | undefined;
  /** From 1. */
  column?: number | undefined;
}

export interface Problem extends Place {
  file?: string | undefined;
  message: string;
  /** It is the entrypoint that is to be corrected. */
  of?: 'entrypoint' | undefined;
}

export class ProjectError extends CliError {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(problems.map((problem) => formatProblem(problem)).join('\n'));
    this.name = 'ProjectError';
    this.problems = problems;
  }
}

/** `agent.ts:12:3: greet: …`, with paths as seen from `from`. */
export function formatProblem({ file, line, column, message }: Problem, from: string = process.cwd()): string {
  if (!file) return message;
  const path = relative(from, file);
  const place = line === undefined ? '' : column === undefined ? `:${line}` : `:${line}:${column}`;
  return `${path.startsWith('../../..') ? file : path}${place}: ${message}`;
}

/** Both are about the same words: what loads a project says them as its compiler does. */
export function isSame(known: Problem, other: Problem): boolean {
  if (known.file !== other.file || known.line !== other.line) return false;
  if (known.line === undefined || known.column === undefined || known.column === other.column) return true;
  return [...other.message.matchAll(/'(\w{3,})'/g)].some(([, word = '']) => known.message.includes(word));
}
