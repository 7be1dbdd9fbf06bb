import { expect, test } from 'vitest';
import { changesOf, scopeRequestOf } from './scope-change.ts';

const requested = { read: ['reports/**'], write_prefix: null, mode: 'read_only', ttl_seconds: 900 };

test('what is held stays and what is asked for is marked as new', () => {
  const asked = scopeRequestOf({ reason: 'to sum up', old: { allow_patterns: ['notes/**'], mode: 'read_only', outputs_prefix: null }, requested });
  expect(asked && changesOf(asked)).toEqual([
    {
      right: 'Files it may read',
      now: ['notes/**'],
      would: [
        { text: 'notes/**', isNew: false },
        { text: 'reports/**', isNew: true },
      ],
    },
    { right: 'What it may do', now: ['read'], would: [{ text: 'read', isNew: false }] },
    { right: 'Where it may write', now: ['nowhere'], would: [{ text: 'nowhere', isNew: false }] },
    { right: 'For how long', now: ['as the grant it has'], would: [{ text: '15 min from the approval', isNew: true }] },
  ]);
});

test('without a grant, everything is new', () => {
  const asked = scopeRequestOf({ reason: '', old: null, requested: { ...requested, mode: 'read_write_overlay', write_prefix: 'out' } });
  expect(asked && changesOf(asked)).toMatchObject([
    { now: [], would: [{ isNew: true }] },
    { now: [], would: [{ isNew: true }] },
    { now: [], would: [{ text: 'below out', isNew: true }] },
    { now: [] },
  ]);
});

test('to write without a folder is to write everywhere', () => {
  const asked = scopeRequestOf({ reason: '', old: null, requested: { ...requested, mode: 'read_write_overlay' } });
  expect(asked && changesOf(asked)[2]?.would).toEqual([{ text: 'everywhere it may read then', isNew: true }]);
});

test('what is no scope request cannot be decided', () => {
  expect(scopeRequestOf(undefined)).toBeUndefined();
  expect(scopeRequestOf({ requested: { read: ['**'] } })).toBeUndefined();
});
