// A link that the browser opens sends no header: it acts for an organization by linkTo alone.
import { glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const OPENED = /\b(?:href|src|action|poster)=(?:\{((?:[^{}]|\{[^{}]*\})*)\}|"([^"]*)")/g;

/** Addresses in the sources of the dashboard that the browser opens itself and that are of the API. */
function opened(text: string): string[] {
  const downloads = [...text.matchAll(/<[A-Z]\w*[^>]*?\bdownload=[^>]*>/gs)].flatMap(([element]) => [...element.matchAll(OPENED)]);
  const toTheApi = [...text.matchAll(OPENED)].filter(([, code = '', plain = '']) => /\/v1\//.test(code + plain));
  return [...downloads, ...toTheApi].map(([, code = '', plain = '']) => code || plain);
}

test('every link to a file of the API is made by linkTo', async () => {
  const wrong: string[] = [];
  let found = 0;
  for await (const path of glob('web/**/*.tsx')) {
    const text = await readFile(path, 'utf8');
    const made = new Set([...text.matchAll(/const (\w+) = linkTo\(/g)].map(([, name]) => name));
    for (const address of opened(text)) {
      found += 1;
      if (!address.startsWith('linkTo(') && !made.has(address)) wrong.push(`${path}: ${address}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(found).toBeGreaterThanOrEqual(6);
});

test('another one would be found', () => {
  expect(opened('<Anchor href={url} download={name} size="sm">')).toEqual(['url']);
  expect(opened('<img src={`/v1/me/files/${path}`} />')).toEqual(['`/v1/me/files/${path}`']);
});
