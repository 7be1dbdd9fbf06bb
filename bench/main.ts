// `npm run bench -- --quick`: the ratios that must not slip, in at most three minutes, as a table.
// They need wrk and nginx: asked for on a terminal, installed with `--yes`.
// `npm run bench -- NAME [argument …]`: one benchmark in full; its file says what it measures.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { requirePrograms } from './programs.ts';
import { ratiosIn } from './ratio.ts';

const IN_A_QUICK_RUN = ['ingress', 'skill-call', 'mcp', 'mine', 'imported-call', 'slow-schemas'];

const [first = '--help', ...rest] = process.argv.slice(2);
if (first === '--quick') await quick();
else if (existsSync(fileOf(first))) process.exitCode = (await run(first, rest, 'inherit')).code;
else {
  process.stdout.write('npm run bench -- --quick [--yes]     the ratios that must not slip\nnpm run bench -- NAME [argument …]   bench/NAME.ts in full\n');
  if (first !== '--help') process.exitCode = 2;
}

async function quick(): Promise<void> {
  await requirePrograms('wrk', 'nginx');
  const began = performance.now();
  process.stdout.write(`${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.versions.node}\n`);
  for (const name of IN_A_QUICK_RUN) {
    const { code, output } = await run(name, [], 'pipe');
    for (const one of ratiosIn(output)) process.stdout.write(`${one.name.padEnd(34)} ${one.rest}\n`);
    if (code === 0) continue;
    process.exitCode = 1;
    process.stdout.write(`${name.padEnd(34)} failed:\n${output.split('\n').slice(-12).join('\n')}\n`);
  }
  process.stdout.write(`${((performance.now() - began) / 1000).toFixed(0)} s\n`);
}

function fileOf(name: string): string {
  return /^[a-z-]+$/.test(name) ? join(import.meta.dirname, `${name}.ts`) : '';
}

async function run(name: string, args: readonly string[], stdio: 'pipe' | 'inherit'): Promise<{ code: number; output: string }> {
  const env = { ...process.env, ...(stdio === 'pipe' ? { BENCH_QUICK: '1' } : {}) };
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', fileOf(name), ...args], { env, stdio: ['inherit', stdio, stdio] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number>((resolve) => child.once('close', (status) => resolve(status ?? 1)));
  return { code, output };
}
