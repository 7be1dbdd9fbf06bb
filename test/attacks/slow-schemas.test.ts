// One account has twenty skills with patterns that take for ever, and starts each sixty times. Nothing of that is done on the event loop, and all together
// cost four threads: what is counted here are pieces of work, not milliseconds (bench/slow-schemas.ts has these).
import { afterEach, expect, test, vi } from 'vitest';
import { argsIssuesApart, checkCounts } from '#core/runs/run/check-args.ts';

const SKILLS = 20;
const STARTS = 60;
const slow = (skill: number) => ({ type: 'object', properties: { text: { type: 'string', pattern: `^(?:a+)+$|skill ${skill}` } } });
const args = { text: `${'a'.repeat(60)}!` };

afterEach(() => {
  vi.restoreAllMocks();
});

test('1,200 starts end four threads, run no pattern on the loop, and are all answered', async () => {
  const seen: string[] = [];
  const exec = RegExp.prototype.test;
  vi.spyOn(RegExp.prototype, 'test').mockImplementation(function (this: RegExp, text: string) {
    seen.push(this.source);
    return exec.call(this, text);
  });
  const before = { ...checkCounts };
  const starts = Array.from({ length: SKILLS * STARTS }, (_, at) => argsIssuesApart('mallory', slow(at % SKILLS), args));
  expect((await Promise.all(starts)).flat()).toEqual([]);
  expect(seen.filter((source) => source.includes('skill '))).toEqual([]);
  expect({ begun: checkCounts.begun - before.begun, ended: checkCounts.ended - before.ended, refused: checkCounts.refused - before.refused }).toEqual({
    begun: 4,
    ended: 4,
    refused: SKILLS * STARTS - 4,
  });
});

test('another account is answered meanwhile, with the place of its mistake', async () => {
  const theirs = Promise.all(Array.from({ length: STARTS }, (_, at) => argsIssuesApart('mallet', slow(at), args)));
  const schema = { type: 'object', properties: { code: { type: 'string', pattern: '^[A-Z]{3}$' } } };
  expect(await argsIssuesApart('ada', schema, { code: 'abc' })).toMatchObject([{ path: ['code'] }]);
  expect(await argsIssuesApart('ada', schema, { code: 'ABC' })).toEqual([]);
  expect((await theirs).flat()).toEqual([]);
});
