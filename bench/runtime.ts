// Sleep and wake of a real agent through its instance's http.sock, against its cold start, all in one run.
// `node bench/runtime.ts [rounds]`; needs the images of `npm run up` (made on first use). Prints medians and
// percentiles, ms.
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createToolchains } from '#host/build/toolchains.ts';
import { createEngine } from '#host/microvm/engine.ts';
import { makeLayer } from '#host/microvm/images/layer.ts';
import { createHost, type Host } from '#host/host.ts';
import { defaultBuild, defaultLimits, defaultSleep } from '#host/options.ts';
import { runtimeImages, sdkFolder } from '#host/images/images.ts';
import { callAgent, proberSource, startInput, uniqueId } from '#drivers/runtime/test/agents.ts';
import { cacheFolder } from '#stack/setup/folders.mjs';

const rounds = Number(process.argv[2] ?? 20);
const cacheDir = cacheFolder(process.env);
const stateDir = await mkdtemp(join(tmpdir(), 'svc-bench-'));
const images = await runtimeImages({ cacheDir });
const engine = createEngine({ cacheDir, images: () => images });
const never = new AbortController().signal;

/**
 * Nothing falls asleep automatically here; `warmUpCalls: 0` is what a cold start costs without what a deploy
 * adds.
 */
const hostWith = (dir: string, warmUpCalls: number): Promise<Host> =>
  createHost({
    stateDir: dir,
    cacheDir,
    engine,
    base: () => images.base,
    makeLayer,
    tools: createToolchains(cacheDir),
    sdkDir: () => sdkFolder(cacheDir),
    egress: { services: {} },
    build: { ...defaultBuild, egressHosts: [] },
    sleep: { ...defaultSleep, pauseAfterMs: 1e9 },
    limits: { ...defaultLimits(4_096), warmUpCalls },
    log: () => undefined,
  });

const series = new Map<string, number[]>();
const add = (name: string, ms: number): void => void series.set(name, [...(series.get(name) ?? []), ms]);
const timed = async (name: string, work: () => Promise<unknown>): Promise<void> => {
  const began = performance.now();
  await work();
  add(name, performance.now() - began);
};
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 200));

const host = await hostWith(stateDir, defaultLimits(4_096).warmUpCalls);
const { runtime } = host;
try {
  const project = (): Parameters<typeof runtime.build>[0] => ({
    build_id: uniqueId('b'),
    tenant: 'bench',
    source: proberSource(),
    language: 'typescript',
    entrypoint: 'agent:Prober',
  });
  let image = '';
  await timed('build, first of this machine', async () => void ({ image } = await runtime.build(project(), () => undefined, never)));
  for (let n = 0; n < 3; n++) await timed('build', () => runtime.build(project(), () => undefined, never));

  const input = startInput(image);
  await timed('start (health, card, warm-up, snapshot)', () => runtime.start(input, () => undefined, never));
  const call = () => callAgent(runtime.address(input.instance_id), '/invoke/count', {});
  for (let n = 0; n < 30; n++) add('awake → first byte', (await call()).firstByteMs);
  for (const tier of ['paused', 'suspended'] as const) {
    for (let n = 0; n < rounds; n++) {
      await settle();
      await timed(tier === 'paused' ? 'pause' : 'suspend', () => runtime.sleep(input.instance_id, tier));
      add(`${tier} → first byte`, (await call()).firstByteMs);
    }
  }
  for (let n = 0; n < 5; n++) {
    await runtime.sleep(input.instance_id, 'cold');
    add('cold, from the snapshot → first byte', (await call()).firstByteMs);
  }
  await runtime.keepOnly({ instances: [], images: [image] });
  await host.close();
  await coldStarts(image);
} finally {
  await rm(stateDir, { recursive: true, force: true });
}

/** A machine booted from disk each time: no snapshot of its deployment exists. */
async function coldStarts(image: string): Promise<void> {
  const cold = await hostWith(stateDir, 0);
  for (let n = 0; n < 5; n++) {
    const input = startInput(image);
    const began = performance.now();
    await cold.runtime.start(input, () => undefined, never);
    await callAgent(cold.runtime.address(input.instance_id), '/invoke/count', {});
    add('cold start → first byte', performance.now() - began);
    await cold.runtime.stop(input.instance_id);
  }
  await cold.runtime.keepOnly({ instances: [], images: [] });
  await cold.close();
}

const at = (values: number[], share: number): string =>
  (values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0).toFixed(0).padStart(7);
console.log(`accelerator ${await engine.accelerator()} · ${availableParallelism()} cores · load ${loadavg()[0]?.toFixed(1)} · ms`);
console.log(`${'what'.padEnd(42)}      n     p50     p95     p99`);
for (const [name, values] of series)
  console.log(`${name.padEnd(42)}${String(values.length).padStart(7)} ${at(values, 0.5)} ${at(values, 0.95)} ${at(values, 0.99)}`);
const median = (name: string): number => Number(at(series.get(name) ?? [], 0.5));
console.log(
  `a wake from suspended is ${(median('cold start → first byte') / Math.max(1, median('suspended → first byte'))).toFixed(1)}x faster than a cold start`,
);
