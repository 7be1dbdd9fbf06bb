// Time of `npm run up` with everything cached, in a state folder of its own: the first one (database made)
// and the following ones. node bench/up.ts [runs]
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#stack/ports.ts';

const runs = Number(process.argv[2] ?? 5);
const state = mkdtempSync(join(tmpdir(), 'svc-bench-up-'));
chmodSync(state, 0o711);
const env = {
  ...process.env,
  SVC_STATE_DIR: state,
  SVC_PORT: String(await freePort()),
  SVC_TEMPORAL_PORT: String(await freePort()),
  SVC_TEMPORAL_UI_PORT: String(await freePort()),
};
const stack = (command: string): number => {
  const begun = performance.now();
  execFileSync('npm', ['run', '--silent', command], { env, cwd: join(import.meta.dirname, '..'), stdio: ['ignore', 'ignore', 'inherit'] });
  return (performance.now() - begun) / 1000;
};

try {
  const first = stack('up');
  const [ups, downs]: [number[], number[]] = [[], []];
  for (let run = 0; run < runs; run += 1) {
    downs.push(stack('down'));
    ups.push(stack('up'));
  }
  console.table({
    'first up': { median_s: first.toFixed(2), worst_s: first.toFixed(2) },
    up: { median_s: median(ups).toFixed(2), worst_s: Math.max(...ups).toFixed(2) },
    down: { median_s: median(downs).toFixed(2), worst_s: Math.max(...downs).toFixed(2) },
  });
} finally {
  stack('down');
  rmSync(state, { recursive: true, force: true });
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
