// From "create a sandbox" to its first program's output, as a caller of the host's socket sees it; with a
// machine ready and without. `node bench/sandbox.ts [rounds]`; needs the images of `npm run up` (made on
// first use). Prints medians and percentiles, ms.
import { availableParallelism, loadavg } from 'node:os';
import { run, sandboxInput, shell } from '#drivers/sandbox/test/programs.ts';
import { sandboxHost } from '#host/sandbox/test/host.ts';

const rounds = Number(process.argv[2] ?? 15);
const series = new Map<string, number[]>();
const add = (name: string, ms: number): void => void series.set(name, [...(series.get(name) ?? []), ms]);

const opened = performance.now();
const host = await sandboxHost({ spares: 1, prepareAfterMs: 0 });
const { runtime } = host;
const counted = (msg: string, spare?: boolean): number =>
  host.log.filter((line) => line['msg'] === msg && (spare === undefined || line['spare'] === spare)).length;
/** Until a machine waits. */
async function ready(): Promise<void> {
  const until = Date.now() + 180_000;
  while (counted('sandbox_spare_ready') <= counted('sandbox_started', true)) {
    if (Date.now() > until) throw new Error(`no machine got ready: ${JSON.stringify(host.log.slice(-3))}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
const programs: [string, string, string[]][] = [
  ['echo', '/bin/echo', ['hi']],
  ['python3 -c', 'python3', ['-c', 'print("hi")']],
];

async function once(kind: string, cpus: number, [name, command, args]: [string, string, string[]]): Promise<void> {
  const input = sandboxInput({ cpus });
  const began = performance.now();
  await runtime.create(input);
  const made = performance.now();
  const { stdout } = await run(runtime, input.sandbox_id, command, args);
  if (stdout !== 'hi\n') throw new Error(`the program said ${stdout}`);
  const done = performance.now();
  add(`${kind}: create`, made - began);
  add(`${kind}: create + ${name}`, done - began);
  const second = performance.now();
  await run(runtime, input.sandbox_id, command, args);
  add(`${kind}: ${name} again`, performance.now() - second);
  await runtime.remove(input.sandbox_id);
}

try {
  await ready();
  add("from the host's start to a machine that waits", performance.now() - opened);
  const first = performance.now();
  // Not the kind that spares are kept of: always a clone.
  await runtime.create(sandboxInput({ sandbox_id: 'first', cpus: 2 }));
  add('clone: the first of its kind (a snapshot is made)', performance.now() - first);
  await runtime.remove('first');
  for (const program of programs) for (let n = 0; n < rounds; n++) await once('clone', 2, program);
  for (const program of programs) {
    for (let n = 0; n < rounds; n++) {
      await ready();
      await once('ready', 1, program);
    }
  }
  const input = sandboxInput({ cpus: 2 });
  await runtime.create(input);
  const output = performance.now();
  const { truncated } = await shell(runtime, input.sandbox_id, 'head -c 100000000 /dev/zero', 120_000);
  if (!truncated) throw new Error('the output was not cut');
  add('100 MB of output', performance.now() - output);
} finally {
  await host.end();
}

const spare = counted('sandbox_started', true);
const at = (values: number[], share: number): string =>
  (values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0).toFixed(0).padStart(7);
console.log(`${availableParallelism()} cores · load ${loadavg()[0]?.toFixed(1)} · ${spare} machines were ready of ${rounds * programs.length} · ms`);
console.log(`${'what'.padEnd(50)}      n     p50     p95`);
for (const [name, values] of series) console.log(`${name.padEnd(50)}${String(values.length).padStart(7)} ${at(values, 0.5)} ${at(values, 0.95)}`);
