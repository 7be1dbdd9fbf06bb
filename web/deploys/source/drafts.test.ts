import { describe, expect, test } from 'vitest';
import { changesOf, committed, deleted, type Drafts, edited, onTopOf, pathProblem, renamed, restore, store } from './drafts.ts';

const read = { blob: 'b1', content: 'one' };

describe('drafts', () => {
  test('of a file that was read', () => {
    const drafts = edited({}, 'a.ts', 'two', read);
    expect(changesOf(drafts)).toEqual([{ path: 'a.ts', blob: 'b1', content: 'two', encoding: 'utf-8' }]);
    expect(edited(drafts, 'a.ts', 'one', read)).toEqual({});
    expect(edited({}, 'a.ts', 'one', read)).toEqual({});
  });

  test('of a new file, also an empty one, and of one that is gone again', () => {
    const drafts = edited({}, 'new.ts', '', null);
    expect(changesOf(drafts)).toEqual([{ path: 'new.ts', blob: null, content: '', encoding: 'utf-8' }]);
    expect(deleted(drafts, 'new.ts', null)).toEqual({});
  });

  test('a file that goes, and comes back as another', () => {
    const drafts = deleted({}, 'a.ts', 'b1');
    expect(changesOf(drafts)).toMatchObject([{ path: 'a.ts', blob: 'b1', content: null }]);
    expect(changesOf(edited(drafts, 'a.ts', 'again', null))).toMatchObject([{ blob: 'b1', content: 'again' }]);
  });

  test('a renamed file keeps its bytes', () => {
    const drafts = renamed({}, { path: 'a.png', blob: 'b1', content: 'AAA=', encoding: 'base64' }, 'b.png', null);
    expect(changesOf(drafts)).toEqual([
      { path: 'a.png', blob: 'b1', content: null, encoding: 'utf-8' },
      { path: 'b.png', blob: null, content: 'AAA=', encoding: 'base64' },
    ]);
  });

  test('after a commit, what was written meanwhile stays on top of it', () => {
    const before: Drafts = edited(edited({}, 'a.ts', 'two', read), 'b.ts', 'x', null);
    const sent = changesOf(before);
    const after = committed(edited(before, 'a.ts', 'three', read), sent, [
      { path: 'a.ts', blob: 'b2' },
      { path: 'b.ts', blob: 'b3' },
    ]);
    expect(changesOf(after)).toEqual([{ path: 'a.ts', blob: 'b2', content: 'three', encoding: 'utf-8' }]);
  });

  test('on top of what somebody else committed', () => {
    expect(changesOf(onTopOf(edited({}, 'a.ts', 'two', read), 'a.ts', 'b9'))).toMatchObject([{ blob: 'b9', content: 'two' }]);
  });

  test('are stored and read again; what is no draft is not', () => {
    const drafts = edited({}, 'a.ts', 'two', read);
    expect(restore(store(drafts) ?? '')).toEqual(drafts);
    expect(store({})).toBeUndefined();
    for (const text of [null, '', '{', '7', '[1]', '{"a":{"path":"b","blob":null,"content":"","encoding":"utf-8"}}', '{"a":7}'])
      expect(restore(text)).toEqual({});
  });
});

test.each(['', '/a', 'a/', '../a', 'a/../b', '.git/config', 'a//b', 'a\\b', 'a\nb', 'there'])('no file has the path %j', (path) => {
  expect(pathProblem(path, (one) => one === 'there')).toBeDefined();
});
test.each(['a.ts', 'lib/a.ts', '.gitignore', 'lib/.env.example', 'a b'])('a file may have the path %j', (path) => {
  expect(pathProblem(path, () => false)).toBeUndefined();
});
