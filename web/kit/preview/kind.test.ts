import { expect, test } from 'vitest';
import { shownAs } from './kind.ts';

test.each([
  ['image/png', 'a.png', 'image'],
  ['image/svg+xml', 'a.svg', 'image'],
  ['IMAGE/JPEG; q=1', 'photo', 'image'],
  ['image/tiff', 'scan.tiff', 'none'],
  ['text/markdown; charset=utf-8', 'notes', 'markdown'],
  ['text/plain; charset=utf-8', 'README.md', 'markdown'],
  ['text/csv', 'x', 'table'],
  ['text/plain', 'x.tsv', 'table'],
  ['application/json', 'x', 'json'],
  ['application/ld+json', 'x', 'json'],
  ['application/pdf', 'x', 'pdf'],
  ['application/octet-stream', 'x.pdf', 'pdf'],
  ['text/plain', 'x.log', 'text'],
  ['application/yaml', 'x', 'text'],
  ['application/octet-stream', 'main.rs', 'text'],
  [null, 'main.rs', 'text'],
  ['audio/mpeg', 'x.mp3', 'media'],
  ['application/zip', 'x.zip', 'none'],
  ['', 'no-ending', 'none'],
])('%s, %s is shown as %s', (type, name, as) => {
  expect(shownAs(type, name).as).toBe(as);
});

test('pages are read, never opened, whatever they are called', () => {
  for (const [type, name] of [
    ['text/html', 'x.png'],
    ['text/html; charset=utf-8', 'x.pdf'],
    ['application/xhtml+xml', 'x.svg'],
    ['application/octet-stream', 'x.html'],
    ['text/plain', 'x.htm'],
  ] as const)
    expect(shownAs(type, name)).toEqual({ as: 'source' });
});

test('a specific type is believed over the name; the browser is told a type only of the list', () => {
  expect(shownAs('image/png', 'x.svg')).toEqual({ as: 'image', type: 'image/png' });
  expect(shownAs('image/svg+xml; charset="<script>"', 'x.png')).toEqual({ as: 'image', type: 'image/svg+xml' });
  expect(shownAs('application/zip', 'x.svg')).toEqual({ as: 'none' });
});

test('plain text becomes no image and no PDF by its name; it may be an SVG that is read as text', () => {
  expect(shownAs('text/plain', 'x.png')).toEqual({ as: 'text' });
  expect(shownAs('text/plain', 'x.pdf')).toEqual({ as: 'text' });
  expect(shownAs('application/octet-stream', 'x.svg')).toEqual({ as: 'image', type: 'image/svg+xml' });
});
