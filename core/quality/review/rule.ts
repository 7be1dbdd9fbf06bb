import type { FindingSeverity } from '#contract/states.ts';
import type { CodeLocation, ReviewedProject, SourceFile } from './project.ts';

export interface RuleFinding extends CodeLocation {
  severity: FindingSeverity;
  title: string;
  /** What is wrong and what to do. Never a secret, nor a part of one. */
  message: string;
}

export interface ReviewRule {
  /** As findings and `svc-accept` name it. */
  id: string;
  find(project: ReviewedProject): Iterable<RuleFinding>;
}

/** One finding for each line that `judge` finds something in. */
export function* perLine(
  files: readonly SourceFile[],
  judge: (line: string, file: SourceFile, at: number) => Omit<RuleFinding, 'path' | 'line'> | undefined,
): Generator<RuleFinding> {
  for (const file of files) {
    for (const [at, line] of file.lines.entries()) {
      const finding = judge(line, file, at);
      if (finding) yield { ...finding, path: file.path, line: at + 1 };
    }
  }
}
