import { expect, test } from 'vitest';
import { blocksOf, headingIds } from './blocks.ts';
import { colored } from './color.ts';
import { drawingOf } from './drawing.ts';
import { targetOf } from './links.ts';

const options = { source: 'docs/a.md', target: (href: string) => ({ href }), picture: () => '<svg viewBox="0 0 1 1"></svg>' };

test('Markdown becomes a tree without HTML', () => {
  expect(blocksOf('# A `b`\n\n<!-- note -->\none **two** [three](https://example.com) &lt;x> ada@example.com\n\n1. a\n2. b\n', options)).toEqual([
    { kind: 'heading', depth: 1, id: 'a-b', inside: ['A ', { code: 'b' }] },
    {
      kind: 'paragraph',
      inside: ['one ', { strong: ['two'] }, ' ', { href: 'https://example.com', inside: ['three'] }, ' <x> ', 'ada@example.com'],
    },
    { kind: 'list', start: 1, items: ['a', 'b'].map((text) => [{ kind: 'paragraph', inside: [text] }]) },
  ]);
  expect(() => blocksOf('<script>alert(1)</script>\n', options)).toThrow('docs/a.md has HTML');
  expect(() => blocksOf('a <b>bold</b>\n', options)).toThrow('docs/a.md has html in a line');
});

test('headings of one name have ids of their own', () => {
  expect([...headingIds('# A\n\n## Mail\n\n## Mail\n')]).toEqual(['a', 'mail', 'mail-1']);
});

test('a table keeps its cells, and a picture needs a text', () => {
  expect(blocksOf('| a | b |\n|---|---|\n| `x\\|y` | z |\n', options)).toEqual([{ kind: 'table', head: [['a'], ['b']], rows: [[[{ code: 'x|y' }], ['z']]] }]);
  expect(() => blocksOf('![short](p.svg)\n', options)).toThrow('needs a text');
});

test('links lead to pages, headings or files that are there', () => {
  const entries = [
    { source: 'docs/a.md', at: 'a' },
    { source: 'deploy/b.md', at: 'operating/b' },
  ];
  const at = { root: process.cwd(), entries, headings: () => new Set(['top']) };
  expect(targetOf('docs/a.md', '../deploy/b.md#top', at)).toEqual({ page: 'operating/b', hash: 'top' });
  expect(targetOf('docs/a.md', '#top', at)).toEqual({ page: 'a', hash: 'top' });
  expect(targetOf('docs/a.md', '../package.json', at)).toEqual({ file: 'package.json' });
  expect(() => targetOf('docs/a.md', '../deploy/b.md#nowhere', at)).toThrow('no such heading');
  expect(() => targetOf('docs/a.md', 'no-such-file.md', at)).toThrow('does not exist');
  expect(() => targetOf('docs/a.md', '../../outside', at)).toThrow('does not exist');
  expect(() => targetOf('docs/a.md', 'javascript:alert(1)', at)).toThrow('does not exist');
});

test('code is cut into named pieces that make the whole', () => {
  const code = 'const a = "b"; // c\n';
  const parts = colored('ts', code);
  expect(parts.map((part) => (typeof part === 'string' ? part : part[1])).join('')).toBe(code);
  expect(parts).toContainEqual(['keyword', 'const']);
  expect(parts).toContainEqual(['comment', '// c']);
  expect(colored('sh', 'svc runs  # mine\nsvc logs')).toEqual(['svc runs ', ['comment', ' # mine'], '\n', 'svc logs']);
  expect(colored('text', '<x>')).toEqual(['<x>']);
});

test('a picture is read as a tree; scripts, styles and links are refused', () => {
  const svg = '<svg xmlns="x" viewBox="0 0 1 1"><style>text { }</style><text class="name" text-anchor="middle">a &amp; b</text></svg>';
  expect(drawingOf('p.svg', svg)).toEqual({
    tag: 'svg',
    attributes: { viewBox: '0 0 1 1' },
    inside: [{ tag: 'text', attributes: { className: 'name', textAnchor: 'middle' }, inside: ['a & b'] }],
  });
  expect(() => drawingOf('p.svg', '<svg><script>x</script></svg>')).toThrow('no <script>');
  expect(() => drawingOf('p.svg', '<svg><rect onload="x" /></svg>')).toThrow('no attribute onload');
  expect(() => drawingOf('p.svg', '<svg><g></svg>')).toThrow('not open');
});
