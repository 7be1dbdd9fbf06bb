// A restart that somebody asked for: the supervisor starts the part at once, without the pause after a
// failure.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, stopProcess } from './process.ts';
import { readRecord } from './records.ts';

const markOf = (run: string, part: string): string => join(run, `${part}.restart`);

/** Ends the part's process, as `down` does; its supervisor starts another. */
export async function askForRestart(run: string, part: string, stop: { signal: NodeJS.Signals; graceMs: number }): Promise<void> {
  writeFileSync(markOf(run, part), '', { mode: 0o600 });
  const running = readRecord(run, part)?.process;
  if (running && isAlive(running)) await stopProcess(running, stop.signal, stop.graceMs);
}

/** For the supervisor. True once for each time that somebody asked. */
export function takeRestart(run: string, part: string): boolean {
  try {
    rmSync(markOf(run, part));
    return true;
  } catch {
    return false; // nobody asked
  }
}
