// One run of schemathesis (MIT) on our document and the API that serves it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { pythonWith } from '../support/languages/python.ts';
import { configuration } from './configuration.ts';
import { openApiWorld } from './world.ts';

export const VERSION = '4.32.5';

const Report = z.object({
  operations: z.object({ total: z.int(), tested: z.int() }),
  phases: z.record(z.string(), z.object({ status: z.string() })),
  test_cases: z.object({ generated: z.int() }),
  failures: z.array(z.object({ title: z.string(), operations: z.array(z.string()) })),
  errors: z.array(z.unknown()),
});

export interface Findings extends z.infer<typeof Report> {
  /** What the API logged as errors. */
  logged: readonly string[];
  /** All that schemathesis printed, unless it went to the terminal. */
  printed: string;
}

export interface RunOptions {
  seed: string;
  /** Of its command line, over ours. */
  options?: readonly string[];
  /** Then it is interrupted, and reports what it has found. */
  seconds?: number | undefined;
  stdio: 'inherit' | 'pipe';
}

export async function schemathesis({ seed, options = [], seconds, stdio }: RunOptions): Promise<Findings> {
  const python = await pythonWith(`schemathesis-${VERSION}`, [`schemathesis==${VERSION}`, 'tzdata']);
  const folder = await mkdtemp(join(tmpdir(), 'svc-schemathesis-'));
  const world = await openApiWorld();
  try {
    const [config, report] = [join(folder, 'schemathesis.toml'), join(folder, 'report.json')];
    await writeFile(config, await configuration(world.records));
    const usual = `--phases examples,coverage,fuzzing,stateful --seed ${seed} --generation-database none --workers 4 -n 10 --report json --no-color`.split(' ');
    const from = ['--config-file', config, 'run', `${world.api.url}/v1/openapi.json`, '--report-json-path', report];
    const child = spawn(python, ['-m', 'schemathesis.cli', ...from, ...usual, ...options], {
      cwd: folder,
      stdio: ['ignore', stdio, stdio],
      env: {
        ...process.env,
        SVC_TOKEN: world.token,
        SVC_SCIM_TOKEN: world.scimToken,
        SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'hooks.py'),
        PYTHONUTF8: '1',
      },
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const late = seconds === undefined ? undefined : setTimeout(() => child.kill('SIGINT'), seconds * 1000);
    await once(child, 'close');
    clearTimeout(late);
    return { ...Report.parse(JSON.parse(await readFile(report, 'utf8'))), logged: world.api.errors(), printed };
  } finally {
    await world.stop();
    await rm(folder, { recursive: true });
  }
}
