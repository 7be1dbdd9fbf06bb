// Virtual machines survive a killed host, so that its successor adopts them. Where none comes, because
// everything is taken down, one is started only for that: stopped again, it puts to sleep on disk what would
// be lost with the machines.
import { isAlive, processesIn } from './process.ts';
import type { Part } from './part.ts';
import { readRecord } from './records.ts';
import { superviseService, type Timing } from './supervise-service.ts';

const answerTimeoutMs = 60_000;

/**
 * Before stopParts, which then stops the host as ever. Does nothing where a host runs, or no machine does.
 */
export async function takeBackMachines(parts: Part[], at: { run: string; logs: string; machines: string; timing: Timing }): Promise<void> {
  const host = parts.find(({ name }) => name === 'host');
  const known = readRecord(at.run, 'host')?.process;
  if (host?.kind !== 'service' || (known && isAlive(known)) || processesIn('qemu-', at.machines).length === 0) return;
  const well = new AbortController();
  const signal = AbortSignal.any([well.signal, AbortSignal.timeout(answerTimeoutMs)]);
  await superviseService(host, { ...at, signal }, () => well.abort());
}
