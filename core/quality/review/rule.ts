import type { FindingSeverity } from '#contract/states.ts';
import type { Place, Reviewed, SourceFile } from './project.ts';

export interface Found extends Place {
  severity: FindingSeverity;
  title: string;
  /** What is wrong and what to do. Never a secret, nor a part of one. */
  message: string;
}

export interface Rule {
  /** As findings and `svc-accept` name it. */
  id: string;
  find(project: Reviewed): Iterable<Found>;
}

/** One finding for each line that `judge` finds something in. */
export function* perLine(
  files: readonly SourceFile[],
  judge: (line: string, file: SourceFile, at: number) => Omit<Found, 'path' | 'line'> | undefined,
): Generator<Found> {
  for (const file of files) {
    for (const [at, line] of file.lines.entries()) {
      const found = judge(line, file, at);
      if (found) yield { ...found, path: file.path, line: at + 1 };
    }
  }
}
