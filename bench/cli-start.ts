// How long the command line tool takes to say something: `svc --help` and `svc agents --help`, as it is
// published (packed, installed by npm) and from a clone, beside Node that does nothing. node
// bench/cli-start.ts [runs]
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publishedCli } from './published-cli.ts';
import { median, rounds } from './ratio.ts';

const runs = Number(process.argv[2] ?? rounds(20));
const execute = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'svc-bench-cli-'));
try {
  const published = await publishedCli(folder);
  const clone = join(import.meta.dirname, '../cli/bin.mjs');
  const programs: Record<string, string[]> = {
    'node, nothing to do': ['--eval', '0'],
    'svc --help, published': [published, '--help'],
    'svc agents --help, published': [published, 'agents', '--help'],
    'svc --version, published': [published, '--version'],
    'svc completion bash, published': [published, 'completion', 'bash'],
    'svc --help, in a clone': [clone, '--help'],
  };
  const times = Object.fromEntries(Object.keys(programs).map((name) => [name, [] as number[]]));
  // One of each in turn, so that all of them see the same machine. The first round fills caches and does not
  // count.
  for (let round = -1; round < runs; round += 1) {
    for (const [name, args] of Object.entries(programs)) {
      const begun = performance.now();
      await execute(process.execPath, args);
      if (round >= 0) times[name]?.push(performance.now() - begun);
    }
  }
  console.table(
    Object.fromEntries(Object.entries(times).map(([name, all]) => [name, { median_ms: Math.round(median(all)), worst_ms: Math.round(Math.max(...all)) }])),
  );
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
