// One service's life: start or adopt it, see that it is well, start it again when it ends.
import { appendFileSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lacksRoom } from '#drivers/room.ts';
import { openLog, rotate, tail } from './logs.ts';
import { asFarAsPossible, notesOf } from './notes.ts';
import type { Service } from './part.ts';
import { identify, isAlive, stopProcess, type Identity } from './process.ts';
import { start } from './program.ts';
import { readRecord, type PartRecord } from './records.ts';
import { takeRestart } from './restart.ts';

export interface Surroundings {
  run: string;
  logs: string;
  signal: AbortSignal;
  timing: Timing;
}

/** Milliseconds. */
export interface Timing {
  /** Between looks at a process that starts, and at one that runs. */
  startingPoll: number;
  runningPoll: number;
  /** A start that takes longer has failed. */
  startDeadline: number;
  /** A part that runs but has not been well for so long hangs: it is ended and started again. */
  unhealthyLimit: number;
  /** First and longest pause before another start; it doubles in between. */
  firstBackoff: number;
  longestBackoff: number;
}

export const usualTiming: Timing = {
  startingPoll: 50,
  runningPoll: 5_000,
  startDeadline: 180_000,
  unhealthyLimit: 30_000,
  firstBackoff: 300,
  longestBackoff: 30_000,
};

/** A hanging part seldom reacts to signals: the time that it gets to end on its own. */
const hangingGraceMs = 5_000;
/**
 * Looks in a row that must have failed, besides the time: a machine that slept has lost time, not its parts.
 */
const looksBeforeEnding = 4;

/**
 * Resolves when the signal is aborted; the process then still runs. Calls `onHealthy` each time the service
 * has become well.
 */
export async function superviseService(part: Service, around: Surroundings, onHealthy: () => void): Promise<void> {
  const { signal, timing, run, logs } = around;
  const log = join(logs, `${part.name}.log`);
  let restarts = 0;
  let failures = 0;
  const write = notesOf(run, signal);
  const note = (record: Omit<PartRecord, 'part' | 'restarts' | 'address'>) => write({ part: part.name, address: part.address, restarts, ...record });

  while (!signal.aborted) {
    const begun = performance.now();
    let at: Started | undefined;
    let reason: string;
    try {
      at = adoptable(part, run) ?? { process: await launch(part, log), since: Date.now() };
      note({ state: 'starting', ...at });
      const started = at;
      await untilHealthy(part, at.process, around, (problem) => note({ state: 'starting', ...started, note: problem }));
      if (signal.aborted) return;
      note({ state: 'healthy', ...at });
      onHealthy();
      await watch(part, at.process, around, log, (problem) =>
        note({ ...started, ...(problem === undefined ? { state: 'healthy' } : { state: 'unhealthy', note: problem }) }),
      );
      reason = 'it ended';
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
      if (at && !signal.aborted) await stopProcess(at.process, part.stop.signal, Math.min(part.stop.graceMs, hangingGraceMs)).catch(() => {});
    }
    if (signal.aborted) return;
    if (takeRestart(run, part.name)) {
      failures = 0;
      note({ state: 'restarting', note: 'asked for' });
      continue;
    }
    failures = performance.now() - begun > 60_000 ? 1 : failures + 1;
    restarts += 1;
    const full = lacksRoom(logs);
    const pause = Math.min(timing.firstBackoff * 2 ** (failures - 1), timing.longestBackoff);
    const again = `in ${pause} ms${full === undefined ? '' : ', or when its disk has room'}`;
    asFarAsPossible(() => appendFileSync(log, `--- ${new Date().toISOString()} ${part.name}: ${reason}; starting again ${again}\n`, { mode: 0o600 }));
    note({ state: 'restarting', note: full === undefined ? reason : `${reason}. ${full}` });
    if (await isWantedWithin(pause, part.name, around, full !== undefined)) failures = 0;
  }
}

/**
 * Resolves after the pause, or with true as soon as somebody asks for a restart, or the disk that was full
 * has room.
 */
async function isWantedWithin(pause: number, part: string, { signal, run }: Surroundings, full: boolean): Promise<boolean> {
  const until = performance.now() + pause;
  for (;;) {
    const left = until - performance.now();
    if (signal.aborted || left <= 0) return false;
    await sleep(Math.min(left, 200), undefined, { signal }).catch(() => {});
    if (takeRestart(run, part) || (full && lacksRoom(run) === undefined)) return true;
  }
}

interface Started {
  process: Identity;
  /** Milliseconds since the epoch. */
  since: number;
}

/** The process of an earlier supervisor, or one found by the part's own means. */
function adoptable(part: Service, run: string): Started | undefined {
  const recorded = readRecord(run, part.name);
  if (recorded?.process && isAlive(recorded.process)) return { process: recorded.process, since: recorded.since ?? Date.now() };
  const identity = part.find?.();
  return identity && { process: identity, since: Date.now() };
}

async function launch(part: Service, log: string): Promise<Identity> {
  const program = await part.program();
  asFarAsPossible(() => rotate(log));
  const handle = openLog(log);
  const child = await start(program, ['ignore', handle, handle]).finally(() => closeSync(handle));
  child.unref();
  const identity = identify(child.pid);
  if (identity === undefined) throw new Error(`it ended at once: ${tail(log, 1).lines.join('')}`);
  return identity;
}

async function untilHealthy(part: Service, running: Identity, { signal, timing }: Surroundings, onProblem: (problem: string) => void): Promise<void> {
  const deadline = performance.now() + timing.startDeadline;
  let problem: string | undefined;
  while (!signal.aborted) {
    if (!isAlive(running)) throw new Error('it ended while starting');
    try {
      return await part.health();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== problem) onProblem(message);
      problem = message;
    }
    if (performance.now() > deadline) throw new Error(`not well ${timing.startDeadline / 1000} s after its start: ${problem}`);
    await sleep(timing.startingPoll, undefined, { signal }).catch(() => {});
  }
}

/**
 * Resolves when the process has ended or the signal is aborted; rejects when it has not been well for too
 * long. Process ends are seen within a quarter of a second, health less often.
 */
async function watch(
  part: Service,
  running: Identity,
  { signal, timing }: Surroundings,
  log: string,
  onHealth: (problem: string | undefined) => void,
): Promise<void> {
  let known: string | undefined;
  let bad: { since: number; looks: number } | undefined;
  let next = performance.now() + timing.runningPoll;
  while (!signal.aborted && isAlive(running)) {
    await sleep(Math.min(250, timing.runningPoll), undefined, { signal }).catch(() => {});
    if (performance.now() < next || signal.aborted) continue;
    next = performance.now() + timing.runningPoll;
    asFarAsPossible(() => rotate(log));
    const problem = await part.health().then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    if (problem !== known && isAlive(running)) onHealth(problem);
    known = problem;
    bad = problem === undefined ? undefined : { since: bad?.since ?? performance.now(), looks: (bad?.looks ?? 0) + 1 };
    if (bad && bad.looks >= looksBeforeEnding && performance.now() - bad.since >= timing.unhealthyLimit && isAlive(running) && !signal.aborted)
      throw new Error(`it hangs (not well for ${Math.round(timing.unhealthyLimit / 1000)} s: ${problem})`);
  }
}
