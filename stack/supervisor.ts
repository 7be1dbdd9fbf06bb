// Starts the parts, each as soon as those it needs are well, and keeps them running until it gets a signal to
// stop; then stops them in reverse.
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLog, rotate, tail } from './logs.ts';
import { asFarAsPossible, notesOf } from './notes.ts';
import type { External, Part, Task } from './part.ts';
import { isAlive, processesIn, processesWithEnv, stopProcess } from './process.ts';
import { start } from './program.ts';
import { readRecord, writeRecord } from './records.ts';
import { superviseService, type Surroundings } from './supervise-service.ts';

/** Resolves when the signal has been aborted; processes still run then. */
export async function supervise(parts: Part[], around: Surroundings): Promise<void> {
  const well = new Map(parts.map((part) => [part.name, Promise.withResolvers<void>()]));
  noteBeginning(parts, around.run);
  await Promise.all(
    parts.map(async (part) => {
      const needed = part.after.map((name) => well.get(name)?.promise ?? Promise.resolve());
      await Promise.race([Promise.all(needed), aborted(around.signal)]);
      if (!around.signal.aborted) await life(part, around, () => well.get(part.name)?.resolve());
    }),
  );
}

/**
 * Replaces what an earlier supervisor noted; a part that it left running keeps its record, so that it can be
 * adopted.
 */
export function noteBeginning(parts: Part[], run: string): void {
  for (const part of parts) {
    if (part.kind === 'skipped') writeRecord(run, { part: part.name, state: 'skipped', restarts: 0, note: part.note });
    else if (!isRunning(part.name, run)) writeRecord(run, { part: part.name, state: 'waiting', restarts: 0 });
  }
}

/**
 * Stops what runs, dependants first, whether or not a supervisor is there. Resolves with the names of parts
 * that had to be killed.
 */
export async function stopParts(parts: Part[], run: string): Promise<string[]> {
  const killed: string[] = [];
  let left = parts;
  while (left.length > 0) {
    const needed = new Set(left.flatMap((part) => part.after));
    const free = left.filter((part) => !needed.has(part.name));
    if (free.length === 0) throw new Error(`these parts need each other in a circle: ${[...needed].join(', ')}`);
    await Promise.all(
      free.map(async (part) => {
        if (!(await stopPart(part, run))) killed.push(part.name);
      }),
    );
    left = left.filter((part) => needed.has(part.name));
  }
  return killed;
}

/** Ends what parts left behind: their remaining helpers, and virtual machines whose folder is ours. */
export async function stopLeftovers(stateDir: string): Promise<number> {
  const guests = processesIn('qemu-', stateDir);
  const left = [...processesWithEnv(`SVC_SUPERVISED=${stateDir}`), ...guests].filter(({ pid }) => pid !== process.pid);
  await Promise.all(left.map((identity) => stopProcess(identity, 'SIGTERM', 3_000)));
  return left.length;
}

async function stopPart(part: Part, run: string): Promise<boolean> {
  const record = readRecord(run, part.name);
  const running = record?.process && isAlive(record.process) ? record.process : part.kind === 'service' ? part.find?.() : undefined;
  const stop = part.kind === 'service' ? part.stop : { signal: 'SIGTERM' as const, graceMs: 5_000 };
  const politely = running === undefined || (await stopProcess(running, stop.signal, stop.graceMs));
  if (part.kind !== 'skipped') asFarAsPossible(() => writeRecord(run, { part: part.name, state: 'stopped', restarts: 0 }));
  return politely;
}

function life(part: Part, around: Surroundings, onWell: () => void): Promise<void> {
  switch (part.kind) {
    case 'service':
      return superviseService(part, around, onWell);
    case 'task':
      return carryOut(part, around, onWell);
    case 'external':
      return lookAt(part, around, onWell);
    case 'skipped':
      onWell();
      return Promise.resolve();
  }
}

/** Runs a task until it succeeds once. */
async function carryOut(part: Task, { run, logs, signal, timing }: Surroundings, onDone: () => void): Promise<void> {
  const log = join(logs, `${part.name}.log`);
  const write = notesOf(run, signal);
  for (let restarts = 0; !signal.aborted; restarts += 1) {
    const note = (state: 'starting' | 'done' | 'restarting', more: object = {}) => write({ part: part.name, state, restarts, ...more });
    note('starting');
    const ended = await runTask(part, log, signal).catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
    if (ended === 0) {
      note('done', { since: Date.now(), ...(part.tells && { note: tail(log, 1).lines.join('') }) });
      return onDone();
    }
    note('restarting', { note: ended });
    await sleep(Math.min(timing.firstBackoff * 2 ** restarts, timing.longestBackoff), undefined, { signal }).catch(() => {});
  }
}

/** Resolves with 0 when it has succeeded, else with why not. */
export async function runTask(part: Task, log: string, signal: AbortSignal): Promise<0 | string> {
  asFarAsPossible(() => rotate(log));
  const handle = openLog(log);
  const child = await part
    .program()
    .then((program) => start(program, ['ignore', handle, handle]))
    .finally(() => closeSync(handle));
  const stop = () => child.kill();
  signal.addEventListener('abort', stop, { once: true });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  signal.removeEventListener('abort', stop);
  return code === 0 ? 0 : tail(log, 1).lines.join('') || `it ended with ${String(code)}`;
}

async function lookAt(part: External, { run, signal, timing }: Surroundings, onWell: () => void): Promise<void> {
  while (!signal.aborted) {
    const problem = await part.health().then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    const state = problem === undefined ? 'healthy' : 'unhealthy';
    const record = { part: part.name, address: part.address, restarts: 0, state, ...(problem === undefined ? {} : { note: problem }) } as const;
    asFarAsPossible(() => writeRecord(run, record));
    if (problem === undefined) onWell();
    await sleep(problem === undefined ? timing.runningPoll : 500, undefined, { signal }).catch(() => {});
  }
}

function isRunning(name: string, run: string): boolean {
  const recorded = readRecord(run, name)?.process;
  return recorded !== undefined && isAlive(recorded);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
