// What a supervisor writes down while it works: a full disk must neither end it nor leave something wrong
// behind.
import { writeSync } from 'node:fs';
import { type PartRecord, writeRecord } from './records.ts';

/** Milliseconds. */
const AGAIN = 500;

/**
 * Writes the records of one part. One that cannot be written is written as soon as it can be, unless a newer
 * one has come or all is stopped.
 */
export function notesOf(run: string, signal: AbortSignal): (record: PartRecord) => void {
  let last: PartRecord | undefined;
  let again: NodeJS.Timeout | undefined;
  const write = (): void => {
    clearTimeout(again);
    const record = last;
    const written = record === undefined || signal.aborted || asFarAsPossible(() => writeRecord(run, record));
    if (!written) again = setTimeout(write, AGAIN).unref();
  };
  return (record) => {
    last = record;
    write();
  };
}

/** Answers whether it could be done. */
export function asFarAsPossible(write: () => void): boolean {
  try {
    write();
    return true;
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return false;
  }
}

/**
 * A line in the supervisor's own log. Not by the console: a stream that failed once stays broken, and throws
 * after its caller has gone on.
 */
export function say(line: string): void {
  try {
    writeSync(process.stderr.fd, `${line}\n`);
  } catch {
    // The log is on the same full disk.
  }
}
