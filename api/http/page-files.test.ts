import { expect, test } from 'vitest';
import { pageHeads } from './page-files.ts';

const pages = ['/', '/agents/$name', '/agents/mine', '/agents/mine/$name/source', '/agents/$name/skills/$skill', '/docs/operating/a.b'].map((path) => ({
  path,
  scripts: [`assets${path}.js`],
  styles: [],
}));
const ofAll = '<link rel="modulepreload" crossorigin href="/assets/all.js">';
const headOf = pageHeads({ all: { scripts: ['assets/all.js'], styles: [] }, pages });

test.each([
  ['/', '/'],
  ['/agents/mine', '/agents/mine'],
  ['/agents/mine/', '/agents/mine'],
  ['/agents/greeter', '/agents/$name'],
  ['/agents/mine/greeter/source', '/agents/mine/$name/source'],
  ['/agents/gre%2Feter/skills/greet', '/agents/$name/skills/$skill'],
  ['/docs/operating/a.b', '/docs/operating/a.b'],
])('%s is the page %s', (path, page) => {
  expect(headOf(path)).toBe(`${ofAll}<link rel="modulepreload" crossorigin href="/assets${page}.js">`);
});

test.each(['/nothing', '/agents', '/agents/greeter/skills', '/docs/operating/a-b', '//'])('%s is none: it has what all have', (path) => {
  expect(headOf(path)).toBe(ofAll);
});

test('styles are named before scripts', () => {
  const both = pageHeads({ all: { scripts: [], styles: [] }, pages: [{ path: '/', scripts: ['assets/a.js'], styles: ['assets/a.css'] }] });
  expect(both('/')).toBe('<link rel="stylesheet" crossorigin href="/assets/a.css"><link rel="modulepreload" crossorigin href="/assets/a.js">');
});
