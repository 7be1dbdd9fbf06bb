// A build's log: lines of bounded number and length, and the remedies for failures that only show in what a
// program printed.
import { lineSplitter } from '#drivers/runtime/lines.ts';
import { RuntimeError, type LogLine } from '#drivers/runtime/port.ts';

export interface BuildLog {
  onOutput(stream: 'stdout' | 'stderr', chunk: Uint8Array): void;
  system(text: string): void;
  /** A better error than "a program failed", if the output shows one. */
  hint(remedy: string): RuntimeError | undefined;
  /** Last lines that name an error. */
  errors(): string[];
  end(): void;
}

export function buildLog(onLog: (line: Omit<LogLine, 'seq'>) => void, maxLines: number): BuildLog {
  let lines = 0;
  let full = false;
  const errors: string[] = [];
  const add = (stream: LogLine['stream'], text: string): void => {
    if (text.trim() === '') return;
    if (/No space left on device|ENOSPC/i.test(text)) full = true;
    if (/error:/i.test(text)) errors.push(text.trim().slice(0, 500));
    if (errors.length > 20) errors.shift();
    lines += 1;
    if (lines === maxLines) onLog({ at: Date.now(), stream: 'system', text: `The log ends here: more than ${maxLines} lines.` });
    if (lines < maxLines) onLog({ at: Date.now(), stream, text });
  };
  const splitters = { stdout: lineSplitter((text) => add('stdout', text), 4_096), stderr: lineSplitter((text) => add('stderr', text), 4_096) };
  return {
    onOutput: (stream, chunk) => splitters[stream].push(chunk),
    system: (text) => add('system', text),
    hint: (remedy) => (full ? new RuntimeError('build_failed', `The project and its dependencies do not fit into the build machine. ${remedy}`) : undefined),
    errors: () => errors,
    end() {
      splitters.stdout.end();
      splitters.stderr.end();
    },
  };
}
