import { expect, test } from 'vitest';
import { refuseClaims } from './claims.ts';

test.each([
  { apply: true },
  { payload: { proposal: { active_apply: 'yes' } } },
  { a: [{ b: { autoMerge: 1 } }] },
  { 'AUTO-MERGE': {} },
  { mode: 'active_apply' },
  { permissions: ['read', 'auto_apply'] },
  { ａｐｐｌｙ: true },
  { 'ap\u200bply': true },
  { promote: 'now' },
  { deep: Array.from({ length: 60 }).reduce<unknown>((inner) => [inner], 'x') },
])('%j claims the right to apply', (payload) => {
  expect(() => refuseClaims(payload)).toThrow(expect.objectContaining({ code: 'apply_refused' }));
});

test.each([
  { message: 'Apply the patch below, then publish.' },
  { active_apply_enabled: false, apply: null },
  { application: 'x', supply: 1, reply: 'yes', title: 'applicable rules' },
  { findings: [{ title: 'It would auto merge two files', severity: 'info' }] },
])('%j claims nothing', (payload) => {
  expect(() => refuseClaims(payload)).not.toThrow();
});
