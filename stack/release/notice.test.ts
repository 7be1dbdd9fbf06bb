// reads: web/ contract/ cli/ sdk/
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../setup/folders.mjs';
import { NOTICE, noticeOf } from './notice.ts';

const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

test('NOTICE names what the lock file has (node stack/release/notice.ts writes it)', () => {
  expect(read(NOTICE)).toBe(noticeOf(read('package-lock.json')));
});

test('each kind of thing is listed with what it is made of, and neither frameworks nor our own packages are', () => {
  const [, dashboard = '', tool = '', sdk = ''] = read(NOTICE).split(/^In the /m);
  expect(dashboard).toMatch(/^- react \d\S+ \(MIT\)$/m);
  expect(dashboard).toMatch(/^- @lezer\/lr /m);
  expect(tool).toMatch(/^- clipanion /m);
  expect(sdk).toMatch(/^- zod /m);
  expect(read(NOTICE)).not.toMatch(/^- (?:@svc|@langchain|express|typescript)\b/m);
});
