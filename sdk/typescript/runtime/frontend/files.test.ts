// A page without the right type is a page that does not run: browsers take scripts and styles by their type
// alone.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listBundle } from './files.ts';

const TYPES = {
  'text/html; charset=utf-8': 'html',
  'text/javascript; charset=utf-8': 'js mjs',
  'text/css; charset=utf-8': 'css',
  'application/json; charset=utf-8': 'json map',
  'application/manifest+json; charset=utf-8': 'webmanifest',
  'text/plain; charset=utf-8': 'txt',
  'application/xml; charset=utf-8': 'xml',
  'image/svg+xml; charset=utf-8': 'svg',
  'image/png': 'png',
  'image/jpeg': 'jpg jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/x-icon': 'ico',
  'font/woff': 'woff',
  'font/woff2': 'woff2',
  'font/ttf': 'ttf',
  'font/otf': 'otf',
  'application/wasm': 'wasm',
  'application/pdf': 'pdf',
  'audio/mpeg': 'mp3',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'application/octet-stream': 'unheardof constructor',
};

test('the type of each file of a page', async () => {
  const dist = await mkdtemp(join(tmpdir(), 'svc-bundle-'));
  onTestFinished(() => rm(dist, { recursive: true }));
  const expected = Object.entries(TYPES).flatMap(([type, extensions]) => extensions.split(' ').map((extension) => [`index.${extension}`, type] as const));
  for (const name of ['LICENSE', ...expected.map(([name]) => name)]) await writeFile(join(dist, name), '');
  const found = [...(await listBundle(dist))].map(([name, { type }]) => [name, type]);
  expect(Object.fromEntries(found)).toEqual({ ...Object.fromEntries(expected), LICENSE: 'application/octet-stream' });
});
