// What a machine's life costs: node bench/microvm.ts [runs]. First byte = from the decision to wake to the
// first byte of an HTTP answer.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { createEngine } from '#host/microvm/engine.ts';
import { ensureImages } from '#host/microvm/images/images.ts';
import type { Machine } from '#host/microvm/port.ts';
import { fetchGuest, startServer } from '#host/microvm/test/guest-server.ts';
import { cacheFolder } from '#stack/setup/folders.mjs';

const runs = Number(process.argv[2] ?? 20);
const cacheDir = cacheFolder(process.env);
const images = await ensureImages({ cacheDir, onProgress: (text) => console.log(text) });
const engine = createEngine({ cacheDir, images: () => images });
const root = await mkdtemp(join(tmpdir(), 'svc-bench-vm-'));
const times = new Map<string, number[]>();
const machines: Machine[] = [];

async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  times.set(name, [...(times.get(name) ?? []), performance.now() - started]);
  return result;
}

const spec = (id: string) => ({ id, dir: join(root, id), disks: { base: images.base }, memoryMib: 256, cpus: 1, scratchMib: 64 });
const at = (values: number[], share: number): number => values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN;

/**
 * One kept connection, spoken to by hand (Node's agent wants a real socket): answers come whole and end with
 * their JSON's brace.
 */
async function ask(stream: Duplex): Promise<void> {
  stream.write('GET / HTTP/1.1\r\nhost: guest\r\n\r\n');
  for (let text = ''; !text.endsWith('}');) text += String((await once(stream, 'data'))[0]);
}

try {
  console.log(`${await engine.accelerator()}, ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}, ${runs} runs`);
  for (let i = 0; i < 4; i++) {
    const machine = await timed('cold: boot → first byte', async () => {
      const booted = await timed('  of which boot', () => engine.boot(spec(`cold-${i}`)));
      await startServer(booted);
      await fetchGuest(booted, '/');
      return booted;
    });
    if (i < 3) await machine.kill();
    else machines.push(machine);
  }
  const [machine] = machines;
  if (machine === undefined) throw new Error('no machine');
  for (let i = 0; i < 60; i++) await fetchGuest(machine, '/');
  for (let i = 0; i < runs; i++) {
    await timed('warm request', () => fetchGuest(machine, '/'));
    await timed('pause', () => machine.pause());
    await timed('paused → first byte', async () => (await machine.wake(), fetchGuest(machine, '/')));
    await timed('suspend', () => machine.suspend());
    await timed('suspended → first byte', async () => (await timed('  of which wake', () => machine.wake()), fetchGuest(machine, '/')));
  }
  const started = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      const stream = await machine.connect('http');
      for (; done < 3000; done++) await ask(stream);
      stream.destroy();
    }),
  );
  const perSecond = (done * 1000) / (performance.now() - started);
  const template = await timed('save template', () => machine.saveTemplate(join(root, 'template')));
  for (let i = 0; i < Math.min(runs, 10); i++) {
    const clone = await timed('clone → first byte', async () => {
      const made = await timed('  of which clone', () => engine.clone(template, { id: `clone-${i}`, dir: join(root, `clone-${i}`), scratchMib: 64 }));
      await fetchGuest(made, '/');
      return made;
    });
    await clone.kill();
    await rm(clone.spec.dir, { recursive: true });
  }
  console.log(`${''.padEnd(26)}${['p50', 'p95', 'p99', 'max'].map((head) => head.padStart(9)).join('')}  ms`);
  for (const [name, values] of times) console.log(name.padEnd(26) + [0.5, 0.95, 0.99, 1].map((share) => at(values, share).toFixed(1).padStart(9)).join(''));
  const median = (name: string) => at(times.get(name) ?? [], 0.5);
  console.log(
    `cold / suspended: ${(median('cold: boot → first byte') / median('suspended → first byte')).toFixed(1)}x; 16 kept connections: ${perSecond.toFixed(0)} requests/s; load now ${loadavg()[0]?.toFixed(1)}`,
  );
} finally {
  await Promise.all(machines.map((machine) => machine.kill()));
  await rm(root, { recursive: true, force: true });
}
