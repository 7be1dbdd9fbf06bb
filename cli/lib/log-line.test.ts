import { expect, test } from 'vitest';
import { readableLines } from './log-line.ts';

test('a trace stands on lines of its own, the author’s place first', () => {
  const stack = 'KeyError: name (agent.py:12, in greet)\n  File "agent.py", line 12, in greet\n    return people["name"]\n  … 2 frames in svc\n';
  const entry = { at: '2026-11-20T19:00:00.000Z', level: 'error', message: 'the skill failed', error: 'KeyError: name', error_name: 'HandlerRaised', stack };
  expect(readableLines(JSON.stringify({ ...entry, skill: 'greet', ms: 3 }))).toEqual([
    'error the skill failed skill=greet ms=3',
    '  KeyError: name (agent.py:12, in greet)',
    '    File "agent.py", line 12, in greet',
    '      return people["name"]',
    '    … 2 frames in svc',
  ]);
});

test('an entry without a trace is one line; other text, and JSON that is no entry, stay as they are', () => {
  const entry = { at: 'x', level: 'warn', message: 'slow\u001b[2J', error: 'timed out' };
  expect(readableLines(JSON.stringify(entry))).toEqual(['warn slow [2J: timed out']);
  for (const text of ['hello', '{"a":1}', '{broken']) expect(readableLines(text)).toEqual([text]);
});
