// A supervised program of two files, saved as an editor saves them.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { repository } from '../setup/folders.mjs';
import type { Service } from '../part.ts';
import { readRecord } from '../records.ts';
import type { Timing } from '../supervise-service.ts';
import { stopLeftovers, supervise } from '../supervisor.ts';
import { WATCHED } from '../commands/watch.ts';
import { openSources } from './sources.ts';
import { watchParts } from './watch.ts';

/** A pause after a failure that no test would wait for: a save ends it. */
const timing: Timing = { startingPoll: 10, runningPoll: 30, startDeadline: 60_000, unhealthyLimit: 60_000, firstBackoff: 600_000, longestBackoff: 600_000 };
const stop = { signal: 'SIGTERM', graceMs: 5_000 } as const;
let root: string;
let run: string;
let printed: string[];
let end: AbortController;
let ended: Promise<unknown>;

const at = (name: string): string => join(root, name);
const until = (check: () => void) => vi.waitFor(check, { timeout: 60_000, interval: 20 });
const output = (): string => printed.join('\n');
const pid = (): number | undefined => readRecord(run, 'program')?.process?.pid;
const says = (text: string) => until(() => expect(existsSync(at('says')) && readFileSync(at('says'), 'utf8')).toBe(text));
const save = (text: string): void => writeFileSync(at('source/lib/value.ts'), text);

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'svc-watch-'));
  run = at('run');
  for (const folder of ['run', 'logs', 'source/lib', 'elsewhere']) mkdirSync(at(folder), { recursive: true });
  writeFileSync(at('package.json'), '{ "type": "module" }');
  writeFileSync(
    at('source/main.ts'),
    `import { writeFileSync } from 'node:fs'; import { value } from './lib/value.ts'; writeFileSync(${JSON.stringify(at('says'))}, value); setInterval(() => {}, 1000);`,
  );
  save(`export const value: string = 'one';`);
  const program: Service = {
    kind: 'service',
    name: 'program',
    after: [],
    address: 'nowhere',
    program: () => {
      rmSync(at('says'), { force: true });
      return Promise.resolve({ command: process.execPath, args: [at('source/main.ts')], env: { PATH: '/usr/bin:/bin', SVC_SUPERVISED: root } });
    },
    health: () => (existsSync(at('says')) ? Promise.resolve() : Promise.reject(new Error('it has said nothing'))),
    stop,
  };
  printed = [];
  end = new AbortController();
  const supervised = supervise([program], { run, logs: at('logs'), signal: end.signal, timing });
  const ready = Promise.withResolvers<void>();
  const part = { name: 'program', entries: ['source/main.ts'], stop };
  const watched = watchParts([part], { root, run, logs: at('logs'), print: (line) => printed.push(line), signal: end.signal }, ready.resolve);
  ended = Promise.all([supervised, watched]);
  await ready.promise;
  await until(() => expect(readRecord(run, 'program')?.state).toBe('healthy'));
});

afterEach(async () => {
  end.abort();
  await ended;
  await stopLeftovers(root);
  rmSync(root, { recursive: true, force: true });
});

test('a save starts the program again; what does not parse is shown and leaves it running; what fails at its start is shown and mended by the next save', async () => {
  await says('one');
  const first = pid();
  save(`export const value: string = 'two';`);
  await says('two');
  await until(() => expect(output()).toContain('program is up again'));
  expect(output()).toContain('source/lib/value.ts: program starts again');
  const second = pid();
  expect(second).not.toBe(first);

  save('export const value: string = ;');
  await until(() => expect(output()).toContain('program runs on as it was'));
  expect(output()).toMatch(/value\.ts:1:\d+/);
  expect(pid()).toBe(second);

  save(`export const value: string = 'three'; throw new Error('no such table');`);
  await until(() => expect(output()).toContain('program does not start'));
  expect(output()).toContain('no such table');

  save(`export const value: string = 'four';`);
  await says('four');
  await until(() => expect(output().match(/program is up again/g)).toHaveLength(2));
});

test('tests, and files that the program does not load, start nothing', async () => {
  const first = pid();
  writeFileSync(at('elsewhere/other.ts'), 'export {};');
  writeFileSync(at('source/lib/value.test.ts'), 'export {};');
  writeFileSync(at('source/lib/value.ts.swp'), '');
  // The first save that counts comes after all of them.
  save(`export const value: string = 'two';`);
  await until(() => expect(output()).toContain('program is up again'));
  expect(output()).toMatch(/^source\/lib\/value\.ts: program starts again/);
  expect(pid()).not.toBe(first);
});

test('a save of a verb reaches API and worker, of a route the API, of a workflow the worker', async () => {
  const sources = Object.fromEntries(
    await Promise.all(Object.entries(WATCHED).map(async ([name, entries]) => [name, await openSources(repository, entries)] as const)),
  );
  await Promise.all(Object.values(sources).map((one) => one.read()));
  const reached = (file: string): string[] => Object.entries(sources).flatMap(([name, one]) => (one.has(join(repository, file)) ? [name] : []));
  expect(reached('core/agents/agent/register.ts')).toEqual(expect.arrayContaining(['api', 'worker']));
  expect(reached('api/routes/runs/work-ledger.ts')).toEqual(['api']);
  expect(reached('workflows/human-wait.ts')).toEqual(['worker']);
  expect(reached('web/main.tsx')).toEqual([]);
  await Promise.all(Object.values(sources).map((one) => one.close()));
});
