// Every component of the kit is in the gallery, and each of its states renders.
import { globSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { QueryClient } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToPipeableStream } from 'react-dom/server';
import { expect, test } from 'vitest';
import { ENTRIES } from './entries.ts';
import { Around, routerOf } from './gallery.tsx';
import type { States } from './states.ts';

const KIT = join(import.meta.dirname, '..');

/** @throws what any part of it throws, also behind a placeholder */
async function htmlOf(component: States[string]): Promise<string> {
  const router = routerOf(component);
  await router.load();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const stream = renderToPipeableStream(createElement(Around, { router, queries: new QueryClient() }), {
    onError: reject,
    onAllReady: () => void text(stream.pipe(new PassThrough())).then(resolve, reject),
  });
  return promise;
}

test('every file of the kit that has a component has its states', () => {
  const files = globSync('**/*.tsx', { cwd: KIT, exclude: ['gallery/**'] });
  expect(Object.keys(ENTRIES).toSorted()).toEqual(files.toSorted());
  expect(Object.entries(ENTRIES).filter(([, states]) => Object.keys(states).length === 0)).toEqual([]);
});

const all = Object.entries(ENTRIES).flatMap(([file, states]) => Object.entries(states).map(([name, state]) => ({ file, name, state })));

test.each(all)('$file: $name', async ({ state }) => {
  expect(await htmlOf(state)).toContain('<');
});

test('a state that throws is found, also behind a placeholder', async () => {
  const broken = (): never => {
    throw new Error('broken');
  };
  await expect(htmlOf(broken)).rejects.toThrow('broken');
});
