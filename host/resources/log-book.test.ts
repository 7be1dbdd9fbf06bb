import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLogBook } from './log-book.ts';

let dir = '';
beforeEach(async () => void (dir = await mkdtemp(join(tmpdir(), 'svc-log-'))));
afterEach(() => rm(dir, { recursive: true, force: true }));
const line = (text: string) => ({ at: 1, stream: 'stdout' as const, text });

test('numbers go on after a reopening; reading resumes after a number', async () => {
  const first = await openLogBook(dir);
  for (let n = 0; n < 5; n++) first.add(line(`l${n}`));
  await first.flush();
  const second = await openLogBook(dir);
  second.add(line('l5'));
  expect((await second.read({ after: 2 })).map((entry) => [entry.seq, entry.text])).toEqual([
    [3, 'l3'],
    [4, 'l4'],
    [5, 'l5'],
  ]);
  expect((await second.read({ after: 2, limit: 1 })).map((entry) => entry.seq)).toEqual([3]);
  expect(await second.read({ after: 5 })).toEqual([]);
});

test('lines older than memory are read from the files, of which the oldest goes', async () => {
  const book = await openLogBook(dir, { fileBytes: 100_000, burstBytes: 1e9, bytesPerSecond: 1 });
  for (let n = 0; n < 1_500; n++) {
    book.add(line(`line ${n}`));
    if (n % 100 === 0) await book.flush();
  }
  await book.flush();
  const all = await book.read({ limit: 10_000 });
  expect(all.at(-1)?.text).toBe('line 1499');
  expect(all.length).toBeGreaterThan(1_000);
  all.forEach((entry, index) => expect(entry.seq).toBe((all[0]?.seq ?? 0) + index));
});

test('a flood is metered and said', async () => {
  const book = await openLogBook(dir, { fileBytes: 1e6, burstBytes: 1_000, bytesPerSecond: 0 });
  for (let n = 0; n < 100; n++) book.add(line('x'.repeat(100)));
  book.add({ at: 2, stream: 'system', text: 'the host still speaks' });
  expect((await book.read({})).length).toBeLessThan(20);
  expect(book.tail(1)).toEqual(['the host still speaks']);
});

test('so is what the platform says because of a guest: refused connections are lines too', async () => {
  const book = await openLogBook(dir, { fileBytes: 1e6, burstBytes: 1_000, bytesPerSecond: 0 });
  for (let n = 0; n < 100; n++) book.add({ at: 1, stream: 'system', text: `refused ${n}` });
  expect((await book.read({})).length).toBeLessThan(20);
  book.add(line('its own lines are counted apart'));
  expect(book.tail(1)).toEqual(['its own lines are counted apart']);
});
