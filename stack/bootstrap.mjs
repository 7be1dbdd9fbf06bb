// What people call, by npm scripts: sets up whatever is missing, then continues with the repository's own
// Node 24. Plain JavaScript without dependencies: a system Node of version 20 must be able to run it in a
// fresh clone.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { debianStep, optional, packages, tests as testPackages } from './setup/debian.mjs';
import { debianTreeStep } from './setup/debian-tree.mjs';
import { cacheFolder, repository, stateFolder } from './setup/folders.mjs';
import { findGo, goPackage, goStep, withGo } from './setup/go.mjs';
import { judgeMachine, machineFacts } from './setup/machine.mjs';
import { dashboardStep, imagesStep, testToolsStep } from './setup/made.mjs';
import { isUsable, node24, npmStep } from './setup/npm.mjs';
import { UserError, advice, isOnPath } from './setup/programs.mjs';
import { runSteps } from './setup/steps.mjs';
import { findTemporal, installTemporal } from './setup/temporal-binary.mjs';

const [command = 'help', ...rest] = process.argv.slice(2);
/** The tiers of tests, with the program of each; `test` is vitest's own. */
const tiers = { test: undefined, 'test:all': 'all', 'test:touched': 'touched', 'test:release': 'release' };
const forTests = command in tiers;
const setsUp = forTests || ['setup', 'up', 'watch', 'demo', 'restore'].includes(command);

/**
 * The first tier as a whole (test/tiers/selection.ts). Where the clone stays, what passed is noted for
 * `test:all`.
 */
const WHOLE = { SVC_TEST_TIER: 'test', ...(process.env.CI === 'true' ? {} : { SVC_TEST_REMEMBER: '1' }) };

try {
  if (setsUp) await setUp(process.env);
  else if (!isUsable()) throw new UserError('Nothing is set up here yet: npm run up');
  const words = rest.filter((word) => word !== '--yes');
  if (command === 'test') process.exitCode = await run([join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...words], words.length > 0 ? {} : WHOLE);
  else if (forTests) process.exitCode = await run([join('test', 'tiers', `${tiers[command]}.ts`), ...words]);
  else if (command !== 'setup') process.exitCode = await run([join('stack', 'main.ts'), command, ...rest]);
} catch (error) {
  const isPlain = error instanceof UserError || advice([String(error?.message)]) !== '';
  console.error(isPlain && !process.env.SVC_DEBUG ? `\n${error.message}${error instanceof UserError ? '' : advice([error.message])}` : error);
  process.exitCode = 1;
}

async function setUp(env) {
  const yes = env.CI === 'true' || rest.includes('--yes');
  const terminal = Boolean(process.stdin.isTTY && process.stdout.isTTY);
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const cache = cacheFolder(env);
  const state = stateFolder(env);
  const lacksTemporal = (forTests || !env.TEMPORAL_ADDRESS) && !findTemporal(env, cache);
  const lacksGo = forTests && !findGo(env, cache);
  const debian = [...(lacksGo && !isOnPath('go', env) ? [goPackage] : []), ...(forTests ? testPackages : [])];
  // A Rust of one's own serves as well as Debian's.
  if (forTests && !isOnPath('cargo', env)) debian.push('cargo');
  const compiler = lacksGo ? ['Go'] : [];
  const steps = [
    npmStep(env),
    ...(lacksGo ? [goStep(env, cache, ['Debian packages'])] : []),
    ...(lacksTemporal ? [temporalStep(env, cache, ['Debian packages', ...compiler])] : []),
    debianTreeStep(env, cache, ['Debian packages']),
    imagesStep(env, state, ['npm packages', 'Debian tree']),
    dashboardStep(env, state, ['npm packages']),
    ...(forTests ? [testToolsStep(env, state, ['npm packages', 'Debian packages', ...compiler])] : []),
  ];
  lookAtMachine(env, cache, steps);
  // It may ask, and it needs Debian.
  steps.splice(1, 0, await debianStep(env, { yes, terminal, wanted: [...packages, ...debian], extra: optional }));
  await runSteps(steps, { output: process.stdout, signal: interruption.signal });
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
}

/** Before a byte is fetched. */
function lookAtMachine(env, cache, steps) {
  const open = steps.filter((step) => !step.isDone()).map(({ name }) => name);
  if (open.length === 0) return;
  // The first set-up brings Debian's packages, too.
  const names = open.includes('npm packages') ? [...open, 'Debian packages'] : open;
  const { problems, notes } = judgeMachine(machineFacts(env, { repository, cache, steps: names }));
  for (const note of notes) console.error(`Note: ${note}`);
  if (problems.length === 0) return;
  const list = problems.map((problem) => `  - ${problem}`).join('\n');
  if (env.SVC_ANY_MACHINE === 'true') return console.error(`Going on as SVC_ANY_MACHINE says, although:\n${list}`);
  throw new UserError(`Nothing was installed: the platform cannot run on this machine as it is.\n${list}\nTo go on nevertheless, set SVC_ANY_MACHINE=true.`);
}

function temporalStep(env, cache, after) {
  return {
    name: 'Temporal',
    after,
    lock: `temporal ${cache}`,
    isDone: () => findTemporal(env, cache) !== undefined,
    run: ({ report, signal, ended }) => installTemporal(env, cache, { onLine: report, signal, packages: () => ended('npm packages') }),
  };
}

/**
 * Resolves with the exit code of a child program; ctrl-C reaches it directly, other signals are passed on.
 */
function run(args, more = {}) {
  const flags = ['--disable-warning=ExperimentalWarning'];
  const env = { ...(forTests ? withGo(process.env, cacheFolder(process.env)) : process.env), ...more };
  const child = spawn(existsSync(node24) ? node24 : process.execPath, [...flags, ...args], { cwd: repository, env, stdio: 'inherit' });
  process.on('SIGINT', () => {});
  for (const name of ['SIGTERM', 'SIGHUP']) process.on(name, () => child.kill(name));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, killedBy) => resolve(code ?? 128 + constants.signals[killedBy]));
  });
}
