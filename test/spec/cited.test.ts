// Every sentence is named by a test that proves it, or open: seen without running those tests. Whether they
// pass is the whole run's to say (reporter.ts).
// reads: api/ cli/ contract/ core/ db/ docs/ drivers/ examples/ host/ imports/ sdk/ stack/ test/ web/ worker/
// workflows/
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OPEN } from './open.ts';
import { sentenceIds } from './sentences.ts';

const root = join(import.meta.dirname, '..', '..');
const IDS = /\b(?:cites|verifies)\(\s*\[?((?:\s*'[\w.-]+',?)+)/g;

test('every sentence is named by a test, or open', () => {
  const files = globSync('**/*.ts', { cwd: root, exclude: (path) => /(^|\/)(node_modules|templates|\.svc|state)$/.test(path) });
  const texts = files.map((file) => readFileSync(join(root, file), 'utf8'));
  const named = new Set(texts.flatMap((text) => [...text.matchAll(IDS)]).flatMap(([, ids = '']) => ids.match(/[\w.-]+/g) ?? []));
  expect(sentenceIds().filter((id) => !named.has(id) && !(id in OPEN))).toEqual([]);
  // An option of a test, not a statement inside of one, where it says nothing.
  expect(files.filter((_, at) => /^\s+cites\([^)]*\);$/m.test(texts[at] ?? ''))).toEqual([]);
});
