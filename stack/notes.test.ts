import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { notesOf } from './notes.ts';
import { readRecord } from './records.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'svc-notes-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('what could not be written is written as soon as it can be, only the newest', async () => {
  const run = join(folder, 'run');
  writeFileSync(run, 'no folder');
  const note = notesOf(run, new AbortController().signal);
  note({ part: 'api', state: 'unhealthy', restarts: 1 });
  note({ part: 'api', state: 'healthy', restarts: 1 });
  rmSync(run);
  mkdirSync(run);
  await expect.poll(() => readRecord(run, 'api')).toMatchObject({ state: 'healthy' });
});

test('nothing is written any more when all is stopped', async () => {
  const run = join(folder, 'run');
  writeFileSync(run, 'no folder');
  const [stopping, other] = [new AbortController(), new AbortController()];
  notesOf(run, stopping.signal)({ part: 'api', state: 'healthy', restarts: 1 });
  notesOf(run, other.signal)({ part: 'worker', state: 'healthy', restarts: 1 });
  stopping.abort();
  rmSync(run);
  mkdirSync(run);
  await expect.poll(() => readRecord(run, 'worker')).toBeDefined();
  expect(readRecord(run, 'api')).toBeUndefined();
});
