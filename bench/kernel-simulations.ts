// `node bench/kernel-simulations.ts [actors] [steps]`: the engine of simulations, each kind of world with
// 1,000 actors for 1,000 steps: wall time, processor time, and the heap after garbage collection at a quarter
// and at the end. Ends with 1 where one takes 10 s of processor time or more, or where the heap grows by more
// than 16 MiB between the two.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { WORLD_KINDS } from '#contract/states.ts';
import { Simulation } from '#contract/studio/simulation/engine.ts';
import { worldOf } from '#contract/studio/simulation/templates.ts';

const [actors = 1_000, steps = 1_000] = process.argv.slice(2).map(Number);
const TARGET_MS = 10_000;
const FLAT_BYTES = 16 * 1024 * 1024;
setFlagsFromString('--expose-gc');
// Safe: the flag above makes it.
const collect = runInNewContext('gc') as () => void;

function heap(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

for (const kind of WORLD_KINDS) {
  const simulation = new Simulation({ spec: worldOf(kind, actors, steps), seed: 1 });
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  let quarter = 0;
  let digest = '';
  while (!simulation.ended) {
    const step = await simulation.next();
    digest = step.digest;
    if (step.violation) throw new Error(`${kind}: ${step.violation.message}`);
    if (step.step === Math.ceil(steps / 4)) quarter = heap();
  }
  const wall = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  const ms = (user + system) / 1000;
  const grown = heap() - quarter;
  const met = ms < TARGET_MS && grown < FLAT_BYTES;
  if (!met) process.exitCode = 1;
  const mib = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
  process.stdout.write(
    `${kind.padEnd(22)} ${(wall / 1000).toFixed(1).padStart(6)} s, processor ${(ms / 1000).toFixed(1)} s, heap ${mib(quarter)} ${grown < 0 ? '-' : '+'}${mib(Math.abs(grown))}, ${digest.slice(0, 12)}: ${met ? 'met' : 'missed'}\n`,
  );
}
