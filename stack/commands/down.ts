// `down`: lets the supervisor take everything down, or does it itself where the supervisor is gone.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { takeBackMachines } from '../machines.ts';
import { allParts, lastAddresses } from '../parts/all.ts';
import { isAlive, stopProcess } from '../process.ts';
import { recordedParts } from '../records.ts';
import { places, type Settings } from '../settings.ts';
import { tryLock } from '../setup/lock.mjs';
import { usualTiming } from '../supervise-service.ts';
import { stopLeftovers, stopParts } from '../supervisor.ts';
import { livingSupervisor, supervisorLock } from './up.ts';

/** Longer than the longest grace of parts stopped one after the other. */
const patience = 120_000;

export async function down(settings: Settings, print: (line: string) => void): Promise<number> {
  const { run, logs, machines } = places(settings.stateDir);
  if (!existsSync(run)) return report(print, 'Nothing is up.');
  mkdirSync(run, { recursive: true, mode: 0o700 });
  const running = recordedParts(run)
    .filter(({ process: known }) => known && isAlive(known))
    .map(({ part }) => part);
  const release = await stopSupervisor(settings);
  // Ends the parts of a killed supervisor. Nothing starts meanwhile, because the lock is held.
  try {
    const parts = allParts(settings, lastAddresses(settings));
    await takeBackMachines(parts, { run, logs, machines, timing: usualTiming });
    const killed = await stopParts(parts, run);
    const left = await stopLeftovers(settings.stateDir);
    for (const name of ['supervisor.json', 'supervisor.pid']) rmSync(join(run, name), { force: true });
    if (killed.length > 0) print(`had to be killed: ${killed.join(', ')}`);
    if (left > 0) print(`ended ${left} processes that parts had left behind`);
  } finally {
    release();
  }
  return report(print, running.length === 0 ? 'Nothing was up.' : `down: ${running.join(', ')}`);
}

/**
 * Ends the supervisor, even one that is just starting; resolves with the release of its lock, which is ours
 * then.
 */
async function stopSupervisor(settings: Settings): Promise<() => void> {
  for (;;) {
    const supervisor = livingSupervisor(settings);
    if (supervisor) await stopProcess(supervisor.process, 'SIGTERM', patience);
    const release = await tryLock(supervisorLock(settings));
    if (release) return release;
    await sleep(50);
  }
}

function report(print: (line: string) => void, line: string): number {
  print(line);
  return 0;
}
