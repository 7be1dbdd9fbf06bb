// Runs the public test suite of A2A (github.com/a2aproject/a2a-tck) against examples/task-fixture behind the
// ingress:
//   npm run test:a2a-tck -- <folder with a checkout> [pytest arguments]
// The branch 1.0-dev is the suite for 1.0, 0.3.x the one for 0.3. Ends with counts; fails for a failure that
// is not in a2a-tck-exceptions.json, and for an exception that no longer fails.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { pythonWith } from '../support/languages/python.ts';
import { hosted } from './a2a-world.ts';
import { taskFixture } from './task-fixture.ts';

const Exceptions = z.array(
  z.strictObject({ suite: z.enum(['1.0', '0.3']), test: z.string(), sentence: z.string().meta({ description: 'Of the specification.' }), why: z.string() }),
);

const EXCEPTIONS = Exceptions.parse(JSON.parse(await readFile(join(import.meta.dirname, 'a2a-tck-exceptions.json'), 'utf8')));

const PYTEST = ['pytest>=8', 'pytest-asyncio', 'pytest-timeout', 'httpx', 'grpcio', 'protobuf', 'googleapis-common-protos', 'jsonschema'];
const SUITES = {
  '1.0': {
    packages: [...PYTEST, 'pytest-html', 'gherkin-official', 'Jinja2'],
    runs: (url: string) => [['tests/compatibility', `--sut-host=${url}`]],
  },
  '0.3': {
    packages: [...PYTEST, 'pytest-json-report', 'requests', 'responses', 'deepdiff', 'packaging', 'PyYAML', 'python-dotenv', 'grpcio-tools', 'pyOpenSSL'],
    // As its run_tck.py chooses: of the mandatory folder what is marked. Its raw requests go to the address
    // it is given, so that is the JSON-RPC one.
    runs: (url: string) =>
      [['tests/mandatory', '-m', 'mandatory_jsonrpc or mandatory_protocol'], ['tests/optional']].map((chosen) => [
        ...chosen,
        `--sut-url=${url}/a2a`,
        '--test-scope=all',
      ]),
  },
};

const [folder, ...more] = process.argv.slice(2);
if (folder === undefined || !existsSync(join(folder, 'run_tck.py'))) {
  process.stderr.write('Give the folder of a checkout of a2a-tck: npm run test:a2a-tck -- ../a2a-tck\n');
  process.exit(2);
}
const suite = existsSync(join(folder, 'tests/compatibility')) ? '1.0' : '0.3';
const python = await pythonWith(`a2a-tck-${suite}`, SUITES[suite].packages);
const results = await mkdtemp(join(tmpdir(), 'svc-tck-'));
const world = await hosted(await taskFixture());
try {
  const reports: string[] = [];
  for (const [number, args] of SUITES[suite].runs(world.url).entries()) {
    const report = join(results, `${number}.xml`);
    await run(python, ['-m', 'pytest', ...args, '-q', '--tb=line', '--timeout=60', `--junitxml=${report}`, ...more], folder);
    reports.push(await readFile(report, 'utf8'));
  }
  process.exitCode = tell(reports.join(''), more.length === 0);
} finally {
  await world.stop();
  await rm(results, { recursive: true });
}

async function run(program: string, args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(program, args, { cwd: resolve(cwd), stdio: 'inherit' });
  await new Promise((done, fail) => child.once('exit', done).once('error', fail));
}

/** @returns the exit code */
function tell(report: string, whole: boolean): number {
  const cases = [...report.matchAll(/<testcase classname="([^"]*)" name="([^"]*)"[^>]*?(?:\/>|>([\s\S]*?)<\/testcase>)/g)].map(
    ([, file, name, inner = '']) => ({
      test: `${file?.replace(/^tests\./, '')}.${name}`,
      failed: /<(?:failure|error)\b/.test(inner),
      skipped: /<skipped\b/.test(inner),
    }),
  );
  const known = EXCEPTIONS.filter((one) => one.suite === suite);
  const isKnown = ({ test }: { test: string }): boolean => known.some((one) => test.includes(one.test));
  const failed = cases.filter((one) => one.failed);
  const unexpected = failed.filter((one) => !isKnown(one));
  const stale = whole ? known.filter((one) => !failed.some(({ test }) => test.includes(one.test))) : [];
  for (const { test } of unexpected) process.stdout.write(`unexpected failure: ${test}\n`);
  for (const { test } of stale) process.stdout.write(`listed as an exception, but does not fail: ${test}\n`);
  const skipped = cases.filter((one) => one.skipped).length;
  process.stdout.write(
    `A2A TCK ${suite}: ${cases.length} tests, ${cases.length - failed.length - skipped} passed, ${skipped} skipped, ` +
      `${failed.length - unexpected.length} listed exceptions, ${unexpected.length} unexpected failures\n`,
  );
  process.stdout.write(`${cases.length - failed.length - skipped} passed, ${unexpected.length + stale.length} failed, ${skipped} skipped\n`);
  return cases.length > 0 && unexpected.length === 0 && stale.length === 0 ? 0 : 1;
}
