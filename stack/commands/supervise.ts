// The detached program behind `up`: runs until a signal stops everything.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { allParts, chooseAddresses } from '../parts/all.ts';
import { takeBackMachines } from '../machines.ts';
import { say } from '../notes.ts';
import { identify } from '../process.ts';
import { writeSupervisor } from '../records.ts';
import { ensureSecrets } from '../secrets.ts';
import { places, type Settings } from '../settings.ts';
import { tryLock } from '../setup/lock.mjs';
import { usualTiming } from '../supervise-service.ts';
import { noteBeginning, stopLeftovers, stopParts, supervise } from '../supervisor.ts';
import { supervisorLock, fingerprint } from './up.ts';

export async function runSupervisor(settings: Settings): Promise<void> {
  const release = await tryLock(supervisorLock(settings));
  if (!release) return console.log('another supervisor is at work'); // two `up` at once: one of them is enough
  const { run, logs, secrets, machines } = places(settings.stateDir);
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => stop.abort());
  process.on('SIGHUP', () => {});
  // Without it nothing would be started again; what failed is tried again anyway.
  process.on('uncaughtException', (error) => say(error.stack ?? error.message));
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

  const self = identify(process.pid);
  if (!self) throw new Error('this process cannot see itself in /proc');
  const record = { process: self, since: Date.now(), settings: fingerprint(settings) };
  writeSupervisor(run, { ...record, parts: [] }); // `down` must find us from here on
  ensureSecrets(secrets);
  const parts = allParts(settings, await chooseAddresses(settings));
  noteBeginning(parts, run); // before another process can take old notes for ours
  writeSupervisor(run, { ...record, parts: parts.map(({ name }) => name) });
  // The signal handlers would not keep the process alive between two checks of the parts.
  const awake = setInterval(() => {}, 60_000);
  await supervise(parts, { run, logs, signal: stop.signal, timing: usualTiming });
  await takeBackMachines(parts, { run, logs, machines, timing: usualTiming });
  const killed = await stopParts(parts, run);
  await stopLeftovers(settings.stateDir);
  clearInterval(awake);
  for (const name of ['supervisor.json', 'supervisor.pid']) rmSync(join(run, name), { force: true });
  say(killed.length === 0 ? 'down' : `down; killed: ${killed.join(', ')}`);
  release();
  process.exit(0);
}
