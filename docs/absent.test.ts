// A sentence that says that something does not exist is wrong from the day that it exists. So there are few,
// and each has its proof here.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ROOT } from './pages.ts';

const SAYS_ABSENT =
  /\b(?:planned, not|coming soon|not (?:yet )?(?:available|supported|implemented|offered)(?! here)|(?:available|supported|implemented|offered) yet|no sdk)\b|^#+ what is not there/i;
/** Texts for people; those written from code are tested with it. */
const TEXTS = ['*.md', 'docs/**/*.md', 'deploy/**/*.md', 'sdk/*/README.md', 'examples/**/README.md', '{cli,web}/**/*.{ts,tsx}'];
const WRITTEN = /node_modules|\/templates\/|\.test\.tsx?$|^docs\/(?:cli|errors)/;

const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Absent {
  file: string;
  /** Of the line. */
  words: string;
  /** That it is still so; absent: it says nothing of this platform. */
  proof?: () => void;
}

const ABSENT: readonly Absent[] = [
  {
    file: 'docs/authoring/go-and-rust.md',
    words: '## Not supported',
    proof: () => expect(globSync('sdk/{go,rust}/**/*_test.{go,rs}', { cwd: ROOT })).toEqual([]),
  },
  {
    file: 'docs/authoring/go-and-rust.md',
    words: 'No SDK: no types made from the declaration, no test harness',
    // What each SDK has is compared by sdk/parity: of two languages.
    proof: () => expect(text('sdk/PARITY.md')).not.toMatch(/\b(?:Go|Rust)\b/),
  },
  {
    file: 'docs/decisions/10-no-build-no-containers.md',
    words: 'TypeScript features that generate code (enums, parameter properties) are not available',
    proof: () => {
      const { compilerOptions } = z.object({ compilerOptions: z.object({ erasableSyntaxOnly: z.boolean() }) }).parse(JSON.parse(text('tsconfig.json')));
      expect(compilerOptions.erasableSyntaxOnly).toBe(true);
    },
  },
  { file: 'docs/decisions/10-no-build-no-containers.md', words: 'Docker is not available everywhere' },
];

test('what a text says is missing is missing, and is listed here', () => {
  const found = globSync(TEXTS, { cwd: ROOT })
    .filter((file) => !WRITTEN.test(file))
    .flatMap((file) => text(file).split('\n').filter((line) => SAYS_ABSENT.test(line)).map((line) => ({ file, line }))); // prettier-ignore
  const unlisted = found.filter(({ file, line }) => !ABSENT.some((one) => one.file === file && line.includes(one.words)));
  expect(unlisted).toEqual([]);
  const needless = ABSENT.filter((one) => !found.some(({ file, line }) => one.file === file && line.includes(one.words)));
  expect(needless).toEqual([]);
});

test.each(ABSENT.filter(({ proof }) => proof !== undefined))('$file: "$words" is still so', ({ file, proof }) => {
  expect(existsSync(join(ROOT, file))).toBe(true);
  proof?.();
});
