import { expect, test } from 'vitest';
import { pageHeads } from './page-files.ts';

const headOf = pageHeads(
  ['/', '/agents/$name', '/agents/mine', '/agents/mine/$name/source', '/agents/$name/skills/$skill', '/docs/operating/a.b'].map((path) => ({
    path,
    scripts: [`assets${path}.js`],
    styles: [],
  })),
);

test.each([
  ['/', '/'],
  ['/agents/mine', '/agents/mine'],
  ['/agents/mine/', '/agents/mine'],
  ['/agents/greeter', '/agents/$name'],
  ['/agents/mine/greeter/source', '/agents/mine/$name/source'],
  ['/agents/gre%2Feter/skills/greet', '/agents/$name/skills/$skill'],
  ['/docs/operating/a.b', '/docs/operating/a.b'],
])('%s is the page %s', (path, page) => {
  expect(headOf(path)).toBe(`<link rel="modulepreload" crossorigin href="/assets${page}.js">`);
});

test.each(['/nothing', '/agents', '/agents/greeter/skills', '/docs/operating/a-b', '//'])('%s is none', (path) => {
  expect(headOf(path)).toBe('');
});

test('its styles are named after its scripts', () => {
  const both = pageHeads([{ path: '/', scripts: ['assets/a.js'], styles: ['assets/a.css'] }]);
  expect(both('/')).toBe('<link rel="modulepreload" crossorigin href="/assets/a.js"><link rel="stylesheet" crossorigin href="/assets/a.css">');
});
