// schemathesis (MIT) on our document and the API that serves it, in all its phases:
//   npm run test:openapi [-- options of schemathesis, e.g. --include-path-regex files]
// The same seed gives the same requests; SCHEMATHESIS_SEED sets another, `-n 100` makes ten times as many where they are made up (and may take longer
// than a quarter of an hour). Where schemathesis is wrong: exceptions.json.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { pythonWith } from '../support/languages/python.ts';
import { configuration } from './configuration.ts';
import { openApiWorld } from './world.ts';

const VERSION = '4.32.5';
const SECONDS = 14 * 60;

const Report = z.object({
  operations: z.object({ total: z.int(), tested: z.int() }),
  phases: z.record(z.string(), z.object({ status: z.string() })),
  test_cases: z.object({ generated: z.int() }),
  failures: z.array(z.object({ title: z.string(), operations: z.array(z.string()) })),
  errors: z.array(z.unknown()),
});

const seed = process.env['SCHEMATHESIS_SEED'] ?? '1';
const python = await pythonWith(`schemathesis-${VERSION}`, [`schemathesis==${VERSION}`, 'tzdata']);
const folder = await mkdtemp(join(tmpdir(), 'svc-schemathesis-'));
const world = await openApiWorld();
try {
  const [config, report] = [join(folder, 'schemathesis.toml'), join(folder, 'report.json')];
  await writeFile(config, await configuration(world.records));
  const options = `--phases examples,coverage,fuzzing,stateful --seed ${seed} --generation-database none -n 10 --report json --no-color`.split(' ');
  const from = ['--config-file', config, 'run', `${world.api.url}/v1/openapi.json`, '--report-json-path', report];
  const child = spawn(python, ['-m', 'schemathesis.cli', ...from, ...options, ...process.argv.slice(2)], {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, SVC_TOKEN: world.token, SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'hooks.py'), PYTHONUTF8: '1' },
  });
  // Interrupted, it still writes what it has found.
  const late = setTimeout(() => process.argv.length === 2 && child.kill('SIGINT'), SECONDS * 1000);
  await once(child, 'exit');
  clearTimeout(late);
  tell(Report.parse(JSON.parse(await readFile(report, 'utf8'))), world.api.errors());
} finally {
  await world.stop();
  await rm(folder, { recursive: true });
}

function tell({ operations, phases, test_cases, failures, errors }: z.infer<typeof Report>, logged: readonly string[]): void {
  for (const line of logged) process.stdout.write(`the API logged an error: ${line}\n`);
  const failing = new Set(failures.flatMap((failure) => failure.operations));
  const left = operations.total - operations.tested;
  const failed = Math.min(operations.total, failing.size + left) + (errors.length > 0 && left === 0 ? 1 : 0) + (logged.length > 0 ? 1 : 0);
  const ran = Object.entries(phases).map(([name, { status }]) => `${name} ${status}`);
  process.stdout.write(`schemathesis ${VERSION}, seed ${seed}: ${test_cases.generated} requests; ${ran.join(', ')}\n`);
  process.stdout.write(`${operations.total - Math.min(operations.total, failing.size + left)} passed, ${failed} failed\n`);
  process.exitCode = failed > 0 || operations.total === 0 ? 1 : 0;
}
