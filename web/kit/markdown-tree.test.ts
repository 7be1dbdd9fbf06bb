// What hostile text becomes.
import { Lexer } from 'marked';
import { expect, test } from 'vitest';
import { ends } from '#test/support/ends.ts';
import { safeAddress } from './markdown-link.ts';
import { piecesOf } from './markdown-pieces.ts';
import { markdownTree, type Node } from './markdown-tree.ts';

const tree = (text: string): Node[] => markdownTree(text, () => new Lexer({ gfm: true }));

function all(of: readonly Node[]): Node[] {
  return of.flatMap((one) => {
    const inside = 'of' in one ? one.of : one.is === 'list' ? one.items.flatMap((item) => item.of) : one.is === 'table' ? one.rows.flat(2) : [];
    return [one, ...all(inside)];
  });
}
const addresses = (text: string): string[] => all(tree(text)).flatMap((one) => (one.is === 'link' ? [one.address] : []));
const words = (text: string): string =>
  all(tree(text))
    .map((one) => ('text' in one ? one.text : ''))
    .join('');
const depthOf = (of: readonly Node[]): number =>
  Math.max(0, ...of.map((one) => 1 + depthOf('of' in one ? one.of : one.is === 'list' ? one.items.flatMap((item) => item.of) : [])));

test('what Markdown can say is there: headings, lists, tasks, tables, code, quotes, links', () => {
  expect(tree('# Title\n\nHello *you* and **all** ~~none~~ `x &amp; y` AT&amp;T\n\n- [x] done\n- [ ] open\n\n3. three')).toEqual([
    { is: 'heading', level: 1, of: [{ is: 'text', text: 'Title' }] },
    {
      is: 'paragraph',
      of: [
        { is: 'text', text: 'Hello ' },
        { is: 'em', of: [{ is: 'text', text: 'you' }] },
        { is: 'text', text: ' and ' },
        { is: 'strong', of: [{ is: 'text', text: 'all' }] },
        { is: 'text', text: ' ' },
        { is: 'del', of: [{ is: 'text', text: 'none' }] },
        { is: 'text', text: ' ' },
        { is: 'code', text: 'x &amp; y' },
        { is: 'text', text: ' AT&T' },
      ],
    },
    {
      is: 'list',
      first: null,
      items: [
        { done: true, of: [{ is: 'text', text: 'done' }] },
        { done: false, of: [{ is: 'text', text: 'open' }] },
      ],
    },
    { is: 'list', first: 3, items: [{ done: null, of: [{ is: 'text', text: 'three' }] }] },
  ]);
  expect(tree('| a | b |\n|:-|-:|\n| 1 | `2` |')).toEqual([
    {
      is: 'table',
      align: ['left', 'right'],
      rows: [
        [[{ is: 'text', text: 'a' }], [{ is: 'text', text: 'b' }]],
        [[{ is: 'text', text: '1' }], [{ is: 'code', text: '2' }]],
      ],
    },
  ]);
  expect(tree('> quote\n\n```js\nlet a = "<b>"\n```\n\n---')).toEqual([
    { is: 'quote', of: [{ is: 'paragraph', of: [{ is: 'text', text: 'quote' }] }] },
    { is: 'block', text: 'let a = "<b>"' },
    { is: 'line' },
  ]);
});

test('headings leave no step out', () => {
  const levels = tree('### a\n\n##### b\n\n> # c\n\n- #### d')
    .flatMap((one) => all([one]))
    .flatMap((one) => (one.is === 'heading' ? [one.level] : []));
  expect(levels).toEqual([1, 2, 1, 2]);
});

const DISGUISES = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'java\tscript:alert(1)',
  'java&#10;script:alert(1)',
  'javascript&#58;alert(1)',
  '&#106;avascript:alert(1)',
  '&#x6A;avascript&#x3a;alert(1)',
  'javascript&colon;alert(1)',
  '\u0001javascript:alert(1)',
  'vbscript:msgbox(1)',
  'data:text/html,<script>alert(1)</script>',
  'data:text/html;base64,PHNjcmlwdD4=',
  'blob:https://example.com/1',
  'file:///etc/passwd',
  'view-source:https://example.com',
  '//evil.example/x',
  '/v1/auth/logout',
  '../settings',
  '?tab=x',
  '#main',
  'intent://x',
  '',
];

test.each(DISGUISES)('the address %j is no link, and its source is shown', (address) => {
  expect(safeAddress(address)).toBeUndefined();
  expect(addresses(`[click](<${address}>) [click](${address}) ![x](<${address}>) <${address}>`)).toEqual([]);
  expect(addresses(`[click][r]\n\n[r]: <${address}>`)).toEqual([]);
  expect(words(`[click](<${address}>)`)).toContain('click');
});

test('addresses that are links: http, https, mailto; as the browser reads them', () => {
  expect(addresses('[a](https://example.com/a?b=1&amp;c=2) <http://x.example> me@example.com www.example.org')).toEqual([
    'https://example.com/a?b=1&c=2',
    'http://x.example/',
    'mailto:me@example.com',
    'http://www.example.org/',
  ]);
  expect(addresses(`[a](https://example.com/${'a'.repeat(3000)})`)).toEqual([]);
});

test('a link whose words name another host shows where it leads', () => {
  const [link] = all(tree('[https://bank.example/login](https://evil.example/x)')).filter((one) => one.is === 'link');
  expect(link).toMatchObject({ place: 'evil.example' });
  const [credentials] = all(tree('[bank.example](https://bank.example@evil.example/)')).filter((one) => one.is === 'link');
  expect(credentials).toMatchObject({ place: 'evil.example' });
  const [honest] = all(tree('[www.bank.example](https://bank.example/)')).filter((one) => one.is === 'link');
  expect(honest).not.toHaveProperty('place');
});

test('characters that turn the reading direction are shown in links', () => {
  expect(words('[exe.\u202Egnp](https://example.com)')).toBe('exe.⟨U+202E⟩gnp');
  expect(words('[a\u2066b](javascript:x)')).toContain('⟨U+2066⟩');
  expect(words('![\u200Fphoto](https://example.com/a.png)')).toBe('⟨U+200F⟩photo');
});

test('HTML is text', () => {
  const html =
    '<script>alert(1)</script>\n\n<img src=x onerror="alert(1)">\n\nin <b onclick=x>line</b> <svg/onload=alert(1)>\n\n<iframe srcdoc="<script>">\n\n<!-- x -->';
  for (const part of [
    '<script>alert(1)</script>',
    '<img src=x onerror="alert(1)">',
    '<b onclick=x>',
    '<svg/onload=alert(1)>',
    '<iframe srcdoc="<script>">',
    '<!-- x -->',
  ])
    expect(words(html)).toContain(part);
  expect(new Set(all(tree(html)).map(({ is }) => is))).toEqual(new Set(['paragraph', 'text']));
  expect(words('&lt;script&gt; &#60;b&#62; &#0; &#xD800; &#x110000; &constructor;')).toBe('<script> <b> \ufffd \ufffd \ufffd &constructor;');
});

test('an image is a link with its words; a link around an image is one link', () => {
  expect(all(tree('![a cat](https://example.com/cat.png)')).filter(({ is }) => is === 'link')).toEqual([
    { is: 'link', address: 'https://example.com/cat.png', of: [{ is: 'text', text: 'a cat' }] },
  ]);
  expect(addresses('[![badge](https://a.example/b.svg)](https://c.example/)')).toEqual(['https://c.example/']);
});

const N = 400_000;
test.each<[string, string]>([
  ['>', '>'.repeat(10_000)],
  ['> - ', '> - '.repeat(5_000)],
  ['> 500 times', `${'> '.repeat(500)}deep`],
  ['1.', '1. '.repeat(6_000)],
  ['lists in lists', Array.from({ length: 200 }, (_, at) => `${' '.repeat(at * 2)}- a`).join('\n')],
  ['[', '['.repeat(10_000)],
  ['![', '!['.repeat(10_000)],
  ['*', '*a **b _c '.repeat(N / 10)],
  ['__', 'a__b'.repeat(N / 4)],
  ['a mail address without end', `${'a.'.repeat(N / 2)}@`],
  ['backticks', Array.from({ length: 200 }, (_, at) => '`'.repeat(at)).join('a')],
  ['a table', `${'|a'.repeat(N / 4)}\n${'|-'.repeat(N / 4)}`],
  ['<', '<a '.repeat(N / 3)],
  ['comments', '<!--'.repeat(N / 4)],
])('%s without end is shown, and not deeply nested', (_, text) => {
  const shown = ends(() => tree(text));
  expect(depthOf(shown)).toBeLessThan(20);
  expect(shown.length).toBeGreaterThan(0);
});

test('a long text is cut into pieces between paragraphs and outside of code; nothing is lost', () => {
  const text = `${'Some words in a paragraph.\n\n'.repeat(600)}\`\`\`\n${'code\n\n'.repeat(900)}\`\`\`\n\n${'More words.\n\n'.repeat(3_000)}`;
  const { pieces, left } = piecesOf(text, 1_000);
  expect([pieces.join(''), left]).toEqual([text, 0]);
  expect(pieces.every((piece) => (piece.match(/```/g) ?? []).length % 2 === 0)).toBe(true);
  const huge = '👍'.repeat(5_000_000);
  const first = piecesOf(huge, 2);
  expect(first.left).toBe(huge.length - first.pieces.join('').length);
  expect(first.pieces.every((piece) => piece.isWellFormed())).toBe(true);
});
