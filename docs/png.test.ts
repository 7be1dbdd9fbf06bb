// reads: docs/pictures/ README.md
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readPage, ROOT } from './pages.ts';
import { chunksOf, sizeOf, smaller } from './png.ts';

const picture = (scheme: string): Buffer => readFileSync(join(ROOT, `docs/pictures/approval-${scheme}.png`));
const pixelsOf = (png: Buffer): Buffer => inflateSync(Buffer.concat([...chunksOf(png)].flatMap(({ type, data }) => (type === 'IDAT' ? [data] : []))));

test('the README shows the dashboard in both themes, in the same size, in 200 kB each at most', () => {
  for (const scheme of ['light', 'dark']) {
    expect(readPage('README.md')).toContain(`"docs/pictures/approval-${scheme}.png"`);
    expect(picture(scheme).length).toBeLessThanOrEqual(200_000);
  }
  expect(sizeOf(picture('light'))).toEqual(sizeOf(picture('dark')));
});

test('a picture is packed anew without a pixel being changed, and not larger', () => {
  const [given, large] = [picture('light'), picture('dark')];
  const packed = smaller(given);
  expect(pixelsOf(packed).equals(pixelsOf(given))).toBe(true);
  expect(packed.length).toBeLessThanOrEqual(given.length);
  expect(deflateSync(pixelsOf(large), { level: 1 }).length).toBeGreaterThan(large.length);
  expect(() => smaller(Buffer.from('GIF89a, and no PNG'))).toThrow('this is no PNG');
});
