import { expect, test } from 'vitest';
import { claimsToApply } from './claims.ts';

const of = (payload: Record<string, unknown>): string | undefined => claimsToApply({ kind: 'note', message: '', payload });

test.each([
  [{ apply: true }],
  [{ active_apply_enabled: 1 }],
  [{ deep: [{ er: { 'auto-apply': 'yes' } }] }],
  [{ ａｐｐｌｙ: true }],
  [{ ['ap\u200bply']: true }],
  [{ mode: 'auto_apply' }],
  [{ mode: 'AUTO-ＡＰＰＬＹ' }],
  [{ proposal_only: false }],
])('%j claims that something is applied', (payload) => expect(of(payload)).toBeDefined());

test.each([[{}], [{ apply: false }], [{ proposal_only: true }], [{ text: 'Please apply it by hand' }], [{ supply: 'apples', application: 'x' }]])(
  '%j claims nothing',
  (payload) => expect(of(payload)).toBeUndefined(),
);
