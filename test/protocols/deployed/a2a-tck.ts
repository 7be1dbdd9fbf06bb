// The public test suite of A2A (github.com/a2aproject/a2a-tck). A failure must be in
// a2a-tck-exceptions.json, and what is in there must fail. The branch 1.0-dev is the suite for 1.0, 0.3.x the
// one for 0.3.
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { pythonWith } from '../../support/languages/python.ts';
import { type Counts, print, type Suite } from './suite.ts';
import { type DeployedWorld, outputOf } from './world.ts';

const Exceptions = z.array(
  z.strictObject({ suite: z.enum(['1.0', '0.3']), test: z.string(), sentence: z.string().meta({ description: 'Of the specification.' }), why: z.string() }),
);

const EXCEPTIONS = Exceptions.parse(JSON.parse(await readFile(join(import.meta.dirname, '../a2a-tck-exceptions.json'), 'utf8')));

const PYTEST = ['pytest>=8', 'pytest-asyncio', 'pytest-timeout', 'httpx', 'grpcio', 'protobuf', 'googleapis-common-protos', 'jsonschema'];
const VERSIONS = {
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

/**
 * It also wants gRPC in the card, listens on this machine for what is pushed, and names example.com, which
 * cannot be looked up everywhere.
 */
const SETTINGS = { SVC_CARDS_LIST_GRPC: 'true', SVC_PUSH_LOCAL_HOSTS: 'localhost,127.0.0.1,example.com' };

/** @param folder of a checkout */
export function a2aTck(folder: string): Suite {
  if (!existsSync(join(folder, 'run_tck.py'))) throw new Error(`${folder} is no checkout of a2a-tck: it has no run_tck.py`);
  const version = existsSync(join(folder, 'tests/compatibility')) ? '1.0' : '0.3';
  return { name: `a2a-tck-${version}`, agents: ['task-fixture'], settings: SETTINGS, run: (world) => runVersion(version, folder, world) };
}

async function runVersion(version: keyof typeof VERSIONS, folder: string, world: DeployedWorld): Promise<Counts> {
  const { packages, runs } = VERSIONS[version];
  const python = await pythonWith(`a2a-tck-${version}`, packages);
  const results = await mkdtemp(join(tmpdir(), 'svc-tck-'));
  try {
    const reports: string[] = [];
    for (const [number, args] of runs(world.urlOf('task-fixture')).entries()) {
      const report = join(results, `${number}.xml`);
      const pytest = ['-m', 'pytest', ...args, '-q', '--tb=line', '--timeout=60', `--junitxml=${report}`];
      const { stdout, stderr } = await outputOf(world.start(python, pytest, { cwd: resolve(folder) }));
      print(stdout.split('\n').slice(-40).join('\n') + stderr);
      reports.push(await readFile(report, 'utf8'));
    }
    return countsIn(reports.join(''), version);
  } finally {
    await rm(results, { recursive: true });
  }
}

function countsIn(report: string, version: keyof typeof VERSIONS): Counts {
  const cases = [...report.matchAll(/<testcase classname="([^"]*)" name="([^"]*)"[^>]*?(?:\/>|>([\s\S]*?)<\/testcase>)/g)].map(
    ([, file, name, inner = '']) => ({
      test: `${file?.replace(/^tests\./, '')}.${name}`,
      failed: /<(?:failure|error)\b/.test(inner),
      skipped: /<skipped\b/.test(inner),
    }),
  );
  const known = EXCEPTIONS.filter(({ suite }) => suite === version);
  const failed = cases.filter((one) => one.failed);
  const unexpected = failed.filter(({ test }) => !known.some((one) => test.includes(one.test)));
  const stale = known.filter((one) => !failed.some(({ test }) => test.includes(one.test)));
  for (const { test } of unexpected) print(`unexpected failure: ${test}`);
  for (const { test } of stale) print(`listed as an exception, but does not fail: ${test}`);
  const skipped = cases.filter((one) => one.skipped).length;
  const listed = failed.length - unexpected.length;
  // A suite that found no tests has failed.
  const none = cases.length === 0 ? 1 : 0;
  return { passed: cases.length - failed.length - skipped, failed: unexpected.length + stale.length + none, skipped, listed };
}
