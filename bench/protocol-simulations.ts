// `node bench/protocol-simulations.ts [rounds]`: every scenario of the product against one agent in a real
// disposable machine, over a whole installation, from the request until its stage is gone. Target under
// emulation: 15 scenarios in less than 90 s, and the same digest each time.
import { loadavg } from 'node:os';
import { installation, ok } from '#test/e2e/installation.ts';
import { greeterFiles } from '#test/support/project.ts';

const rounds = Number(process.argv[2] ?? 3);
const TARGET_MS = 90_000;
const name = 'bench-rehearsed';

interface Shown {
  verdict: string | null;
  digest: string | null;
  counts: Record<string, number>;
  stage_removed: boolean;
  scenarios: { scenario: string; state: string; elapsed_ms: number | null; reason: string | null; broken: unknown[] }[];
}

const i = await installation();
const took: number[] = [];
const all: Shown[] = [];
try {
  ok(await i.stack('up'));
  ok(await i.svc('login', '--local', 'ada@svc.local'));
  ok(await i.svc('deploy', await i.project(name, greeterFiles(name))));
  for (let n = 0; n < rounds; n += 1) {
    const began = performance.now();
    const { stdout } = await i.svc('rehearse', name, '--seed', '7', '--json');
    took.push(performance.now() - began);
    // Safe: what the command prints is the route's answer.
    all.push(JSON.parse(stdout) as Shown);
  }
} finally {
  await i.destroy();
}

for (const { scenarios } of all.slice(-1))
  for (const { scenario, state, elapsed_ms, reason, broken } of scenarios)
    console.log(
      `${scenario.padEnd(36)} ${state.padEnd(9)} ${String(elapsed_ms ?? '-').padStart(7)} ms ${reason ?? ''}${broken.length === 0 ? '' : JSON.stringify(broken)}`,
    );
const median = took.toSorted((a, b) => a - b)[Math.floor(took.length / 2)] ?? 0;
console.log(
  `load ${loadavg()[0]?.toFixed(1)} · ${rounds} rehearsals · median ${(median / 1000).toFixed(1)} s (target < ${TARGET_MS / 1000} s), ${took.map((ms) => (ms / 1000).toFixed(1)).join(', ')}`,
);
console.log(
  `verdicts ${all.map(({ verdict }) => verdict).join(', ')} · digests that differ: ${new Set(all.map(({ digest }) => digest)).size - 1} · stages left: ${all.filter((one) => !one.stage_removed).length}`,
);
process.exitCode = median < TARGET_MS && all.every(({ verdict }) => verdict === 'passed') ? 0 : 1;
