// One account has twenty skills with patterns that take for ever, and starts each sixty times. Nothing of
// that is done on the event loop, and all together cost four threads: what is counted here are pieces of
// work, not milliseconds (bench/slow-schemas.ts has these).
import { afterEach, expect, test, vi } from 'vitest';
import { newId } from '#core/kernel/ids.ts';
import { schemaWorkCounts } from '#core/kernel/schema-work/ask.ts';
import { argsIssuesApart } from '#core/runs/run/check-args.ts';
import { checkAnswer } from '#core/pauses/wait/form.ts';

const SKILLS = 20;
const STARTS = 60;
const slow = (skill: number) => ({ type: 'object', properties: { text: { type: 'string', pattern: `^(?:a+)+$|skill ${skill}` } } });
const args = { text: `${'a'.repeat(60)}!` };
// A budget is of one account in one process, which runs other files, too: nobody spent theirs before.
const [mallory, mallet, mallow] = [newId('usr'), newId('usr'), newId('usr')];

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
  const before = { ...schemaWorkCounts };
  const starts = Array.from({ length: SKILLS * STARTS }, (_, at) => argsIssuesApart(mallory, slow(at % SKILLS), args));
  expect((await Promise.all(starts)).flat()).toEqual([]);
  expect(seen.filter((source) => source.includes('skill '))).toEqual([]);
  expect({
    begun: schemaWorkCounts.begun - before.begun,
    ended: schemaWorkCounts.ended - before.ended,
    refused: schemaWorkCounts.refused - before.refused,
  }).toEqual({
    begun: 4,
    ended: 4,
    refused: SKILLS * STARTS - 4,
  });
});

test('another account is answered meanwhile, with the place of its mistake', async () => {
  const theirs = Promise.all(Array.from({ length: STARTS }, (_, at) => argsIssuesApart(mallet, slow(at), args)));
  const schema = { type: 'object', properties: { code: { type: 'string', pattern: '^[A-Z]{3}$' } } };
  expect(await argsIssuesApart('ada', schema, { code: 'abc' })).toMatchObject([{ path: ['code'] }]);
  expect(await argsIssuesApart('ada', schema, { code: 'ABC' })).toEqual([]);
  expect((await theirs).flat()).toEqual([]);
});

// Its agent sends the form, and its victim answers: the form may hold neither references nor patterns, and
// needs none.
test('an answer to a form with 1,500 alternatives is not read on the loop, and taken', async () => {
  const objects = Array.from({ length: 1_500 }, (_, at) => ({ type: 'object', required: [`k${at}`] }));
  const answer = Array.from({ length: 60 }, (_, at) => ({ [`x${at}`]: 1 }));
  const before = { ...schemaWorkCounts };
  expect(await checkAnswer(mallow, answer, { type: 'array', items: { anyOf: objects } })).toEqual(answer);
  expect(schemaWorkCounts.begun - before.begun).toBe(1);
  // A form like those that people write is checked, wherever it is.
  const form = { type: 'object', properties: { size: { anyOf: [{ const: 'S' }, { const: 'L' }] } }, required: ['size'] };
  await expect(checkAnswer('ada', { size: 'M' }, form)).rejects.toMatchObject({ issues: [{ path: ['body', 'answer', 'size'] }] });
  expect(await checkAnswer('ada', { size: 'L' }, form)).toEqual({ size: 'L' });
});

test('many pieces of two accounts make a third wait for one of each', async () => {
  const ended: string[] = [];
  const asked = (account: string) => argsIssuesApart(account, { type: 'object', properties: { text: { type: 'string', pattern: '^(?:a+)+$' } } }, { text: `${'a'.repeat(22)}!` }).then(() => ended.push(account)); // prettier-ignore
  const all = [...Array.from({ length: 30 }, () => 'hugo'), ...Array.from({ length: 30 }, () => 'hera'), 'bea'].map(asked);
  await Promise.all(all);
  expect(ended.indexOf('bea')).toBeLessThan(6);
});
