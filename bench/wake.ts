// `node bench/wake.ts [rounds]`: from asleep to the first byte of a skill's answer, through the ingress of a
// whole installation, receipt included; against its cold start (no snapshot) in the same run. Suspended: a
// second after it fell asleep, its process ready (`SVC_READY_PROCESSES=0`: none). Targets under emulation on
// two idle cores: suspended < 150 ms p50 and < 300 ms p99, at least 12 times faster than cold; paused < 25 ms
// p50; suspending < 50 ms.
import { request } from 'node:http';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { hostRuntime } from '#drivers/runtime/client.ts';
import { installation, ok } from '#test/e2e/installation.ts';
import { greeterFiles } from '#test/support/project.ts';

const rounds = Number(process.argv[2] ?? 40);
const name = 'bench-wake';
// Nothing falls asleep automatically while we measure.
const i = await installation({ SVC_PAUSE_AFTER_SECONDS: '100000', SVC_SUSPEND_AFTER_SECONDS: '100000' });
const series = new Map<string, number[]>();
const add = (what: string, ms: number): void => void series.set(what, [...(series.get(what) ?? []), ms]);
try {
  ok(await i.stack('up'));
  ok(await i.svc('login', '--local', 'ada@svc.local'));
  ok(await i.svc('deploy', await i.project(name, greeterFiles(name)), '--public'));
  const runtime = hostRuntime({ socketPath: join(i.stateDir, 'run', 'host.sock') });
  const instance = (await runtime.instances()).find((one) => one.agent === name)?.instance_id ?? '';
  for (let n = 0; n < 30; n += 1) add('awake → first byte', await firstByte());
  for (const tier of ['paused', 'suspended'] as const) {
    for (let n = 0; n < rounds; n += 1) {
      await delay(250);
      const began = performance.now();
      await runtime.sleep(instance, tier);
      add(tier === 'paused' ? 'pausing' : 'suspending', performance.now() - began);
      if (tier === 'suspended') await delay(1_000); // its files reach the disk
      add(`${tier} → first byte`, await firstByte());
    }
  }
  for (let n = 0; n < 5; n += 1) {
    await runtime.sleep(instance, 'cold');
    await rm(join(i.stateDir, 'template'), { recursive: true, force: true });
    add('cold → first byte', await firstByte());
  }
} finally {
  await i.destroy();
}

console.log(`load ${loadavg()[0]?.toFixed(1)} · ms\n${'what'.padEnd(28)}      n     p50     p95     p99`);
for (const [what, values] of series)
  console.log(`${what.padEnd(28)}${String(values.length).padStart(7)}${[0.5, 0.95, 0.99].map((share) => at(values, share).toFixed(0).padStart(8)).join('')}`);
const p50 = (what: string): number => at(series.get(what) ?? [], 0.5);
console.log(`waking from suspended is ${(p50('cold → first byte') / p50('suspended → first byte')).toFixed(1)} times faster than a cold start`);

/** Milliseconds until the answer's headers are here. */
function firstByte(): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const headers = { host: `${name}.localhost:${i.port}`, 'content-type': 'application/json' };
    const call = request({ port: i.port, host: '127.0.0.1', method: 'POST', path: '/invoke/greet', headers }, (response) => {
      const took = performance.now() - began;
      response.resume().on('end', () => (response.statusCode === 200 ? resolve(took) : reject(new Error(`answered ${response.statusCode}`))));
    });
    call.on('error', reject);
    call.end('{"name":"Ada"}');
  });
}

function at(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
