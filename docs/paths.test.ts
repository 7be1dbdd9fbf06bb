// Every path that AGENTS.md and the pages for contributors name between backticks is there: a file that moves
// takes its mention with it.
// reads: AGENTS.md docs/contributing/ activities/ api/ cli/ contract/ core/ db/ deploy/ docs/ drivers/
// examples/ host/ imports/ sdk/ stack/ test/ web/ worker/ workflows/
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPage, ROOT } from './pages.ts';

const PAGES = ['AGENTS.md', ...globSync('docs/contributing/*.md', { cwd: ROOT })];
/**
 * `core/jobs/model.ts`, `drivers/log/`, `core/<area>/index.ts`; bare names are of what the sentence is about.
 */
const PATH = /^(?!https?:)[\w.<-][\w.<>{},-]*\/[\w.<>{},/-]*$/;
/** Made by set-up or while the platform runs. */
const MADE = /^(?:\.svc|node_modules|dist)\//;

interface Named {
  page: string;
  path: string;
  /** Folders that the row of a table is about: `contract/` in the first cell. */
  bases: readonly string[];
}

function namedIn(page: string, text: string): Named[] {
  let bases: readonly string[] = [];
  return text
    .replaceAll(/```[\s\S]*?```/g, '')
    .split('\n')
    .flatMap((line) => {
      const first = /^\| *([^|]*?) *\|/.exec(line)?.[1];
      if (first === undefined) bases = [];
      // An empty first cell continues the row above.
      else if (first !== '') bases = [...first.matchAll(/`([\w./-]+)\/`/g)].map(([, path = '']) => path);
      return [...line.matchAll(/`([^`]+)`/g)].flatMap(([, path = '']) => (PATH.test(path) && !MADE.test(path) ? [{ page, path, bases }] : []));
    });
}

/** `<area>` stands for any name. */
function isThere({ path, bases }: Named): boolean {
  const pattern = path.replaceAll(/<[^>]*>/g, '*').replace(/\/$/, '');
  const isOne = !/[*{]/.test(pattern);
  return ['', ...bases].map((base) => join(base, pattern)).some((at) => (isOne ? existsSync(join(ROOT, at)) : globSync(at, { cwd: ROOT }).length > 0));
}

test('every path that AGENTS.md and the pages for contributors name is there', () => {
  const named = PAGES.flatMap((page) => namedIn(page, readPage(page)));
  expect(named.length).toBeGreaterThan(200);
  expect(named.filter((one) => !isThere(one)).map(({ page, path }) => `${page}: ${path}`)).toEqual([]);
});

test('a path that is gone would be found', () => {
  const text = '| `core/` | `kernel/`, `nowhere/` |\n| | `policy/cedar/` |\n\n`core/<area>/index.ts`, `core/gone.ts`, `.svc/vm`, `x.test.ts`';
  const named = namedIn('x', text);
  expect(named.map(({ path }) => path)).toEqual(['core/', 'kernel/', 'nowhere/', 'policy/cedar/', 'core/<area>/index.ts', 'core/gone.ts']);
  expect(named.filter((one) => !isThere(one)).map(({ path }) => path)).toEqual(['nowhere/', 'core/gone.ts']);
});

test('the pages for contributors are short, and no cell of AGENTS.md has to be scrolled', () => {
  for (const page of PAGES)
    if (page !== 'AGENTS.md' && !page.endsWith('data-model.md')) expect(readPage(page).trimEnd().split('\n').length, page).toBeLessThanOrEqual(80);
  const cells = readPage('AGENTS.md')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) => line.split('|'));
  expect(cells.filter((cell) => cell.length > 400)).toEqual([]);
});
