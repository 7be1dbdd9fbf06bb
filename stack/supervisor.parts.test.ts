// The supervisor over tiny programs of its own, each a real process.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { takeBackMachines } from './machines.ts';
import type { Part, Service } from './part.ts';
import { identify, isAlive, processesIn, type Identity } from './process.ts';
import { readRecord, writeRecord } from './records.ts';
import { superviseService, type Timing } from './supervise-service.ts';
import { stopLeftovers, stopParts, supervise } from './supervisor.ts';

const timing: Timing = { startingPoll: 10, runningPoll: 30, startDeadline: 5_000, unhealthyLimit: 60_000, firstBackoff: 10, longestBackoff: 50 };
let dir: string;
let run: string;
let logs: string;
let supervisors: { stop: AbortController; ended: Promise<void> }[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-supervisor-'));
  [run, logs] = [join(dir, 'run'), join(dir, 'logs')];
  mkdirSync(run);
  mkdirSync(logs);
  supervisors = [];
});

afterEach(async () => {
  await abandon();
  await stopLeftovers(dir);
  rmSync(dir, { recursive: true, force: true });
});

/** Ends only the supervisor, as a crash of it would: the parts run on. */
async function abandon() {
  for (const { stop, ended } of supervisors) {
    stop.abort();
    await ended;
  }
}

function begin(parts: Part[], pace: Partial<Timing> = {}) {
  const stop = new AbortController();
  supervisors.push({ stop, ended: supervise(parts, { run, logs, signal: stop.signal, timing: { ...timing, ...pace } }) });
}

/** A program that runs `script` with `dir` in reach, and is well once it has made its file. */
function service(name: string, options: { after?: string[]; script?: string; graceMs?: number } = {}): Service {
  const wellFile = join(dir, `${name}.well`);
  const script = options.script ?? `require('fs').writeFileSync(${JSON.stringify(wellFile)}, ''); setInterval(() => {}, 1000)`;
  return {
    kind: 'service',
    name,
    after: options.after ?? [],
    address: `nowhere/${name}`,
    program: () => Promise.resolve({ command: process.execPath, args: ['-e', script], env: { PATH: '/usr/bin:/bin', SVC_SUPERVISED: dir } }),
    health: () => (existsSync(wellFile) ? Promise.resolve() : Promise.reject(new Error('no file yet'))),
    stop: { signal: 'SIGTERM', graceMs: options.graceMs ?? 5_000 },
  };
}

const state = (name: string) => readRecord(run, name)?.state;
const until = (check: () => void) => vi.waitFor(check, { timeout: 15_000, interval: 20 });
const untilHealthy = (name: string) => until(() => expect(state(name)).toBe('healthy'));

function processOf(name: string): Identity {
  const running = readRecord(run, name)?.process;
  if (!running) throw new Error(`${name} has no process`);
  return running;
}

test('a part starts only when those it needs are healthy, and a skipped one delays no other', async () => {
  const slow = service('slow', { script: `setTimeout(() => process.exit(0), 1e6)` });
  begin([slow, service('needy', { after: ['slow', 'absent'] }), { kind: 'skipped', name: 'absent', after: [], note: 'not there' }]);
  await until(() => expect(state('slow')).toBe('starting'));
  expect(state('needy')).toBe('waiting');
  writeFileSync(join(dir, 'slow.well'), '');
  await untilHealthy('needy');
  expect(state('absent')).toBe('skipped');
});

test('a part that is killed runs again as another process, and its log says so', async () => {
  begin([service('victim')]);
  await untilHealthy('victim');
  const first = processOf('victim');
  process.kill(first.pid, 'SIGKILL');
  await until(() => {
    expect(state('victim')).toBe('healthy');
    expect(processOf('victim')).not.toEqual(first);
  });
  expect(readRecord(run, 'victim')?.restarts).toBe(1);
  expect(readFileSync(join(logs, 'victim.log'), 'utf8')).toContain('starting again');
  expect(readFileSync(join(run, 'victim.pid'), 'utf8').trim()).toBe(String(processOf('victim').pid));
});

test('a part that ends at once is tried again with growing pauses and its last words are kept', async () => {
  begin([service('broken', { script: `console.log('no such table'); process.exit(3)` })]);
  await until(() => expect(readRecord(run, 'broken')?.restarts).toBeGreaterThan(2));
  const pauses = readFileSync(join(logs, 'broken.log'), 'utf8').matchAll(/again in (\d+) ms/g);
  expect([...pauses].map(([, pause]) => Number(pause)).slice(0, 3)).toEqual([10, 20, 40]);
  expect(readFileSync(join(logs, 'broken.log'), 'utf8')).toContain('no such table');
});

test('parts outlive their supervisor; the next one takes over the living and starts the dead', async () => {
  const parts = [service('stays'), service('dies')];
  begin(parts);
  await Promise.all([untilHealthy('stays'), untilHealthy('dies')]);
  const [stays, dies] = [processOf('stays'), processOf('dies')];
  await abandon();
  expect(isAlive(stays)).toBe(true);
  process.kill(dies.pid, 'SIGKILL');
  await until(() => expect(isAlive(dies)).toBe(false));
  begin(parts);
  await Promise.all([untilHealthy('stays'), until(() => expect(processOf('dies')).not.toEqual(dies))]);
  expect(processOf('stays')).toEqual(stays);
});

test('a record whose pid now belongs to another program is neither adopted nor stopped', async () => {
  const self = identify(process.pid);
  if (!self) throw new Error('no /proc');
  writeRecord(run, { part: 'stale', state: 'healthy', restarts: 0, process: { ...self, start_time: 'long ago' } });
  const stale = service('stale');
  begin([stale]);
  await until(() => expect(processOf('stale').pid).not.toBe(process.pid));
  await untilHealthy('stale');
  await abandon();
  await stopParts([stale], run);
  writeRecord(run, { part: 'stale', state: 'healthy', restarts: 0, process: { ...self, start_time: 'long ago' } });
  expect(await stopParts([stale], run)).toEqual([]); // this very process lives to tell
});

test('stopping goes from dependants to what they need, and kills what does not listen', async () => {
  const order = join(dir, 'order');
  const polite = (name: string) => `
    process.on('SIGTERM', () => { require('fs').appendFileSync(${JSON.stringify(order)}, '${name} '); process.exit(0) });
    require('fs').writeFileSync(${JSON.stringify(dir)} + '/${name}.well', ''); setInterval(() => {}, 1000)`;
  const deaf = `process.on('SIGTERM', () => {}); require('fs').writeFileSync(${JSON.stringify(join(dir, 'deaf.well'))}, ''); setInterval(() => {}, 1000)`;
  const parts = [
    service('base', { script: polite('base') }),
    service('middle', { script: polite('middle'), after: ['base'] }),
    service('top', { script: polite('top'), after: ['middle'] }),
    service('deaf', { script: deaf, after: ['top'], graceMs: 50 }),
  ];
  begin(parts);
  await untilHealthy('deaf');
  const processes = parts.map(({ name }) => processOf(name));
  await abandon();
  expect(await stopParts(parts, run)).toEqual(['deaf']);
  expect(readFileSync(order, 'utf8').trim()).toBe('top middle base');
  expect(processes.filter(isAlive)).toEqual([]);
  expect(state('base')).toBe('stopped');
});

test('what a part leaves behind is ended too', async () => {
  const orphan = `
    const child = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
    require('fs').writeFileSync(${JSON.stringify(join(dir, 'parent.well'))}, String(child.pid)); setInterval(() => {}, 1000)`;
  const parts = [service('parent', { script: orphan })];
  begin(parts);
  await untilHealthy('parent');
  const child = identify(Number(readFileSync(join(dir, 'parent.well'), 'utf8')));
  if (!child) throw new Error('no child');
  await abandon();
  await stopParts(parts, run);
  expect(isAlive(child)).toBe(true);
  expect(await stopLeftovers(dir)).toBe(1);
  expect(isAlive(child)).toBe(false);
});

/** A program of that name at work in that folder, as a machine is. */
function machine(folder: string): Identity {
  const program = join(dir, 'qemu-system-test');
  if (!existsSync(program)) symlinkSync(process.execPath, program);
  mkdirSync(folder, { recursive: true });
  const child = spawn(program, ['-e', 'setInterval(() => {}, 1000)'], { cwd: folder, detached: true, stdio: 'ignore' });
  const identity = child.pid === undefined ? undefined : identify(child.pid);
  if (!identity) throw new Error('no machine');
  return identity;
}

test('machines that are left are ended with the rest: those of this folder', async () => {
  const [ours, other] = [machine(join(dir, 'vm/one/machine')), machine(join(dir, '..', `${basename(dir)}-other`))];
  await until(() => expect(processesIn('qemu-', dir)).toEqual([ours]));
  expect(await stopLeftovers(dir)).toBe(1);
  expect([isAlive(ours), isAlive(other)]).toEqual([false, true]);
  process.kill(other.pid, 'SIGKILL');
  rmSync(`${dir}-other`, { recursive: true });
});

test('machines whose host was killed are taken back by another before that is stopped; without machines none is started', async () => {
  const at = { run, logs, machines: join(dir, 'vm'), timing };
  const parts = [service('host')];
  mkdirSync(at.machines);
  await takeBackMachines(parts, at);
  expect(state('host')).toBeUndefined();
  machine(join(at.machines, 'one'));
  await until(() => expect(processesIn('qemu-', dir)).toHaveLength(1));
  await takeBackMachines(parts, at);
  const host = processOf('host');
  expect([state('host'), isAlive(host)]).toEqual(['healthy', true]);
  await takeBackMachines(parts, at);
  expect(processOf('host')).toEqual(host);
  await stopParts(parts, run);
  expect(isAlive(host)).toBe(false);
});

test('a part that runs but is not well says why, and is well again when it is', async () => {
  begin([service('moody')]);
  await untilHealthy('moody');
  const before = processOf('moody');
  rmSync(join(dir, 'moody.well'));
  await until(() => expect(readRecord(run, 'moody')).toMatchObject({ state: 'unhealthy', note: 'no file yet' }));
  writeFileSync(join(dir, 'moody.well'), '');
  await untilHealthy('moody');
  expect(processOf('moody')).toEqual(before);
});

test('a part that hangs is ended and runs again, and its log says why', async () => {
  const wellFile = join(dir, 'frozen.pid');
  const script = `require('fs').writeFileSync(${JSON.stringify(wellFile)}, String(process.pid)); setInterval(() => {}, 1000)`;
  const frozen: Service = {
    ...service('frozen', { script, graceMs: 100 }),
    // Like a socket without a reader: healthy only while the process is not stopped.
    health: async () => {
      const pid = existsSync(wellFile) ? readFileSync(wellFile, 'utf8') : 'nobody';
      if (!/^State:\s+[RSD]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) throw new Error('no answer');
    },
  };
  begin([frozen], { unhealthyLimit: 200 });
  await untilHealthy('frozen');
  const first = processOf('frozen');
  process.kill(first.pid, 'SIGSTOP');
  await until(() => {
    expect(state('frozen')).toBe('healthy');
    expect(processOf('frozen')).not.toEqual(first);
  });
  expect(isAlive(first)).toBe(false);
  expect(readFileSync(join(logs, 'frozen.log'), 'utf8')).toContain('it hangs');
});

test('a task is repeated until it succeeds, and only then do its dependants start', async () => {
  const counter = join(dir, 'counter');
  const script = `const fs = require('fs'); fs.appendFileSync(${JSON.stringify(counter)}, 'x'); process.exit(fs.readFileSync(${JSON.stringify(counter)}).length < 3 ? 1 : 0)`;
  const program = () => Promise.resolve({ command: process.execPath, args: ['-e', script], env: {} });
  begin([{ kind: 'task', name: 'prepare', after: [], program }, service('after', { after: ['prepare'] })]);
  await untilHealthy('after');
  expect(state('prepare')).toBe('done');
  expect(readFileSync(counter, 'utf8')).toBe('xxx');
});

test('a part whose program cannot be started at all is reported, not thrown', async () => {
  const broken = { ...service('nothing'), program: () => Promise.resolve({ command: '/no/such/program', args: [], env: {} }) };
  const stop = new AbortController();
  const ended = superviseService(broken, { run, logs, signal: stop.signal, timing }, () => {});
  await until(() => expect(readRecord(run, 'nothing')?.note).toMatch(/no\/such\/program could not be started/));
  stop.abort();
  await ended;
});

test('a part is kept running though nothing can be written', async () => {
  const full = join(dir, 'full');
  writeFileSync(full, ''); // a file where a folder should be: every note fails
  const pids = join(dir, 'pids');
  const script = `require('fs').appendFileSync(${JSON.stringify(pids)}, process.pid + ' '); require('fs').writeFileSync(${JSON.stringify(join(dir, 'hardy.well'))}, ''); setInterval(() => {}, 1000)`;
  const stop = new AbortController();
  const ended = superviseService(service('hardy', { script }), { run: full, logs, signal: stop.signal, timing }, () => {});
  const started = () => readFileSync(pids, 'utf8').trim().split(' ');
  await until(() => expect(started()).toHaveLength(1));
  process.kill(Number(started()[0]), 'SIGKILL');
  await until(() => expect(started()).toHaveLength(2));
  stop.abort();
  await ended;
});
