import { expect, test } from 'vitest';
import { type Compared, contradictionsIn, duplicatesIn, likeness, wordsIn } from './similar.ts';

const memory = (memory_id: string, text: string, more: Partial<Compared> = {}): Compared => ({ memory_id, kind: 'lesson', about: 'Greet', text, ...more });

test('likeness is the share of common words', () => {
  expect(likeness(wordsIn('a b c'), wordsIn('A, b; d!'))).toBe(0.5);
  expect(likeness(wordsIn(''), wordsIn(''))).toBe(1);
});

test('the older of two that say the same goes into the newer; three into one; other kinds and goals stay', () => {
  const text = 'Ask the reader for totals before the writer begins its work';
  const all = [
    memory('new', text),
    memory('mid', `${text}.`),
    memory('old', text.toUpperCase()),
    memory('other', text, { kind: 'outcome' }),
    memory('goal', text, { about: 'Sing' }),
    memory('far', 'Something else entirely'),
  ];
  expect(duplicatesIn(all).map(({ older, newer }) => [older.memory_id, newer.memory_id])).toEqual([['mid', 'new'], ['old', 'new']]); // prettier-ignore
});

test('one skill that did a step and failed at it, for one goal, contradicts itself', () => {
  const all = [
    memory('did', 'draft by writer.write: done', { kind: 'outcome' }),
    memory('failed', 'writer.write failed at draft (skill_timeout): late', { kind: 'failure' }),
    memory('elsewhere', 'writer.write failed at draft (skill_timeout): late', { kind: 'failure', about: 'Sing' }),
    memory('step', 'writer.write failed at final (x): y', { kind: 'failure' }),
  ];
  expect(contradictionsIn(all)).toEqual([{ one: 'did', other: 'failed', about: 'writer.write at draft' }]);
});
