import { expect, test } from 'vitest';
import { NODE_RELEASES, NODES } from '#contract/wire/language-version.ts';
import { NODE_INTEGRITY } from './release.ts';

test('every Node that an agent may ask for is known by its hash, but for the one that the base image has', () => {
  expect(Object.keys(NODE_INTEGRITY)).toEqual(NODES.slice(1));
  expect(Object.keys(NODE_RELEASES)).toEqual([...NODES]);
});
