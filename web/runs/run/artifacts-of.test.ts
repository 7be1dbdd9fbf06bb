import { expect, test } from 'vitest';
import { artifactsOf } from './artifacts-of.ts';

test('files that were made, each once, whatever the events say', () => {
  const made = (payload: Record<string, unknown>, kind = 'run.artifact') => ({ kind, payload });
  expect(
    artifactsOf([
      made({ name: 'a.md', mime_type: 'text/markdown', size_bytes: 3 }),
      made({ message: 'a.md' }, 'run.progress'),
      made({ name: 7 }),
      made({ name: 'b', mime_type: null, size_bytes: 'much' }),
      made({ name: 'a.md', mime_type: 'text/markdown', size_bytes: 9 }),
    ]),
  ).toEqual([
    { name: 'a.md', type: 'text/markdown', size: 9 },
    { name: 'b', type: 'application/octet-stream', size: 0 },
  ]);
});
