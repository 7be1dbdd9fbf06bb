// npm run test:release: what takes hours, once for each release. Each step is a command; those that passed on
// this very tree are not run again, so a run that was cut off goes on where it was. A program that cannot be
// had fails the run, unless it is named here with its reason.
//   --list          prints the steps
//   --only A,B      only these
//   protocols       those that show how clients of other people reach deployed agents and the API
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { repository } from '#stack/setup/folders.mjs';
import { isTest, readGraph } from './graph.ts';
import { tierOf } from './groups.ts';
import { readPassed, writePassed } from './passed.ts';

interface Step {
  name: string;
  /** What it shows. */
  about: string;
  command: readonly string[];
  env?: Record<string, string>;
}

const NODE = [process.execPath, '--disable-warning=ExperimentalWarning'];
const VITEST = [...NODE, 'node_modules/vitest/vitest.mjs', 'run', '--no-file-parallelism'];

const graph = readGraph();
/** One step a file: a file that was cut off is not all of them. */
const files: Step[] = [...graph.contents.keys()]
  .filter((file) => isTest(file) && tierOf(file) === 'release')
  .map((file) => ({ name: file, about: 'of the tier itself', command: [...VITEST, file] }));
const SLOW = { SVC_SLOW: '1' };
const STEPS: readonly Step[] = [
  { name: 'all', about: 'every test of the product', command: [...NODE, 'test/tiers/all.ts'] },
  ...files,
  { name: 'kills', about: '100 kills, agents as processes', command: [...NODE, 'test/chaos/main.ts', '--kills', '100', '--seed', '7'] },
  {
    name: 'kills-on-a-small-disk',
    about: '40 kills, and a disk that fills up (as root)',
    command: [...NODE, 'test/chaos/main.ts', '--kills', '40', '--seed', '7', '--disk', '3000'],
  },
  { name: 'kills-in-machines', about: '30 kills, agents in machines', command: [...NODE, 'test/chaos/main.ts', '--kills', '30', '--seed', '7', '--vm'] },
  { name: 'openapi', about: 'schemathesis on every operation, a quarter of an hour', command: [...NODE, 'test/openapi/main.ts'] },
  { name: 'deployed', about: "other people's suites and clients of MCP and A2A, on deployed agents", command: [...NODE, 'test/protocols/deployed/main.ts'] },
  { name: 'recipes', about: 'all recipes of the studio in machines', command: [...VITEST, 'test/e2e/studio'], env: SLOW },
  { name: 'boxes', about: "development boxes, with people's own editors", command: [...VITEST, 'host/box/box.vm'], env: SLOW },
  { name: 'adapters', about: 'adapters with the lowest versions of their frameworks', command: [...VITEST, 'sdk/typescript/adapters'], env: SLOW },
  { name: 'adopted', about: 'svc init --from of every framework, deployed and asked', command: [...VITEST, 'test/e2e/adopted'], env: SLOW },
  { name: 'mutants', about: '40 seeded faults, found by test:touched', command: [...NODE, 'test/mutants/main.ts', '--seed', '1'] },
];

/** Steps that no run here can do, with the reason; each is done by hand for a release. */
const BY_HAND: Readonly<Record<string, string>> = {
  'npm run test:protocols -- --tck FOLDER a2a-tck': 'The public A2A suite is no package of a registry: check out its branches 1.0-dev and 0.3.x first.',
};

/** By a name of their own: `npm run test:release -- protocols`. */
const GROUPS: Readonly<Record<string, (name: string) => boolean>> = {
  protocols: (name) => ['openapi', 'deployed'].includes(name) || /^test\/(?:openapi|protocols)\//.test(name),
};

const { values, positionals } = parseArgs({ options: { list: { type: 'boolean' }, only: { type: 'string' } }, allowPositionals: true });
const unknown = positionals.filter((name) => GROUPS[name] === undefined);
if (unknown.length > 0) throw new Error(`There is no group ${unknown.join(', ')}: name one of ${Object.keys(GROUPS).join(', ')}`);
const only = values.only?.split(',');
const isChosen = (name: string): boolean => only?.includes(name) === true || positionals.some((group) => GROUPS[group]?.(name));
const chosen = STEPS.filter(({ name }) => (only === undefined && positionals.length === 0) || isChosen(name));
if (values.list === true) process.stdout.write(`${chosen.map(({ name, about }) => `${name}: ${about}`).join('\n')}\n`);
else await runSteps();

async function runSteps(): Promise<void> {
  const rows: string[] = [];
  let failed = 0;
  for (const step of chosen) {
    const key = keyOf(step);
    const before = readPassed(key);
    const began = Date.now();
    if (before === undefined) process.stdout.write(`\n── ${step.name}: ${step.about}\n`);
    const isPassed = before !== undefined || (await run(step)) === 0;
    const seconds = before?.seconds ?? (Date.now() - began) / 1_000;
    if (isPassed && before === undefined) writePassed(key, { file: step.name, passed: 1, skipped: 0, processor: 0, seconds, tries: 1, verified: [] });
    if (!isPassed) failed += 1;
    rows.push(`${isPassed ? 'passed' : 'FAILED'}  ${seconds.toFixed(0).padStart(6)} s  ${step.name}${before === undefined ? '' : ' (before, on this tree)'}`);
  }
  process.stdout.write(`\n${rows.join('\n')}\n`);
  for (const [command, reason] of Object.entries(BY_HAND)) process.stdout.write(`By hand: ${command}. ${reason}\n`);
  process.stdout.write(`${chosen.length - failed} passed, ${failed} failed\n`);
  if (failed > 0) process.exitCode = 1;
}

async function run({ command: [program = '', ...args], env }: Step): Promise<number> {
  const child = spawn(program, args, { cwd: repository, stdio: 'inherit', env: { ...process.env, CI: 'true', ...env } });
  const [code] = await once(child, 'exit');
  return typeof code === 'number' ? code : 1;
}

/** Of the whole tree: a release is one. */
function keyOf({ name, command, env }: Step): string {
  const hash = createHash('sha256').update(JSON.stringify([name, command.slice(1), env ?? {}]));
  for (const [file, content] of graph.contents) hash.update(`${file} ${content}\n`);
  return hash.digest('hex');
}
