// npm run test:touched [base]: the test files whose imports reach what changed since `base`, most likely
// first. Without a base: what is not committed, or where all is, the branch's commits since it left main, on
// main itself the last commit.
//   --list       prints them with their distance, and runs nothing
//   --tier T     only of this tier: test, all or release
//   --without P  none whose path begins so; may be said again
//   --first N    only the first N
//   --group G    of those, only the ones of this group; may be said again
// All else goes to vitest (--bail 1).
import { execFileSync } from 'node:child_process';
import { repository } from '#stack/setup/folders.mjs';
import { isTest, readGraph } from './graph.ts';
import { groupOf, tierOf } from './groups.ts';
import { runTests } from './run.ts';
import { touchedBy } from './touched-by.ts';

const words = process.argv.slice(2);
const isList = take('--list') !== undefined;
const tier = take('--tier', true);
const without = takeAll('--without');
const first = Number(take('--first', true) ?? Infinity);
const groups = takeAll('--group');
const base = words[0]?.startsWith('-') === false ? words.shift() : undefined;

const graph = readGraph();
const changed = changedSince(base ?? defaultBase());
const touched = touchedBy(graph, changed);
const forRelease = touched.filter(({ file }) => tierOf(file) === 'release');
const chosen = touched
  .filter(({ file }) => !without.some((path) => file.startsWith(path)) && (tier === undefined ? tierOf(file) !== 'release' : tierOf(file) === tier))
  .slice(0, first)
  .filter(({ file }) => groups.length === 0 || groups.includes(groupOf(file)));
process.stdout.write(`${changed.length} files changed; ${touched.length} test files of ${[...graph.contents.keys()].filter(isTest).length} reach them.\n`);
if (forRelease.length > 0) process.stdout.write(`Of the release's tier, not run: ${forRelease.map(({ file }) => file).join(' ')}\n`);
if (isList) for (const { file, distance } of chosen) process.stdout.write(`${String(distance).padStart(4)}  ${file}\n`);
else if (chosen.length === 0) process.stdout.write('0 passed, 0 failed\n');
else
  process.exitCode = await runTests(
    chosen.map(({ file }) => file),
    { args: words },
  );

function defaultBase(): string {
  if (git('status', '--porcelain').length > 0) return 'HEAD';
  const [branch = ''] = git('rev-parse', '--abbrev-ref', 'HEAD');
  if (branch === 'main') return 'HEAD~1';
  return git('merge-base', 'main', 'HEAD')[0] ?? 'HEAD~1';
}

/** Since a commit, what is not committed and new files included; with both names of what was renamed. */
function changedSince(commit: string): string[] {
  return [...new Set([...git('diff', '--name-only', '--no-renames', commit), ...git('ls-files', '--others', '--exclude-standard')])];
}

function git(...args: string[]): string[] {
  return execFileSync('git', args, { cwd: repository, encoding: 'utf8', maxBuffer: 1 << 26 })
    .split('\n')
    .filter(Boolean);
}

/** Takes an option out of the words. @returns its value, or its name where it has none */
function take(name: string, hasValue = false): string | undefined {
  const at = words.indexOf(name);
  return at === -1 ? undefined : words.splice(at, hasValue ? 2 : 1).at(-1);
}

function takeAll(name: string): string[] {
  const found: string[] = [];
  for (let value = take(name, true); value !== undefined; value = take(name, true)) found.push(value);
  return found;
}
