import { expect, test } from 'vitest';
import { accessTo, byId, type GrantRow, stateOf, treeOf, writesTo } from './model.ts';

const at = '2026-11-01T00:00:00.000Z';
function grant(id: string, more: Partial<GrantRow> = {}): GrantRow {
  return {
    grant_id: id,
    parent_grant_id: null,
    kind: 'mint',
    state: 'active',
    issuer: 'usr_a',
    audience: 'librarian',
    bucket: 'b',
    mode: 'read_only',
    allow_patterns: ['**'],
    deny_patterns: [],
    outputs_prefix: null,
    depth: 0,
    run_id: null,
    wait_id: null,
    reason: null,
    superseded_by: null,
    issued_at: at,
    expires_at: at,
    revoked_at: null,
    revoked_reason: null,
    ...more,
  };
}

test('what came from a revoked grant is revoked too', () => {
  const all = [grant('a', { state: 'revoked' }), grant('b', { parent_grant_id: 'a' }), grant('c', { parent_grant_id: 'b' }), grant('d')];
  expect(all.map((one) => stateOf(one, byId(all)))).toEqual(['revoked', 'revoked', 'revoked', 'active']);
});

test('who may read and write a path', () => {
  const all = [
    grant('all'),
    grant('other', { allow_patterns: ['pictures/**'] }),
    grant('denied', { deny_patterns: ['notes/secret.md'] }),
    grant('writes', { mode: 'read_write_overlay', outputs_prefix: 'notes' }),
    grant('writes elsewhere', { mode: 'read_write_overlay', outputs_prefix: 'out' }),
    grant('over', { state: 'expired' }),
  ];
  const who = (path: string) => accessTo(path, all).map(({ grant: { grant_id }, write }) => (write ? `${grant_id} (writes)` : grant_id));
  expect(who('notes/secret.md')).toEqual(['writes (writes)', 'all', 'writes elsewhere']);
  expect(who('notes/a.md')).toEqual(['writes (writes)', 'all', 'denied', 'writes elsewhere']);
});

test('the tree of what came from a grant', () => {
  const tree = treeOf(grant('a'), [grant('b', { parent_grant_id: 'a' }), grant('c', { parent_grant_id: 'b' }), grant('d', { parent_grant_id: 'a' })]);
  expect(tree.below.map(({ grant: { grant_id }, below }) => [grant_id, below.length])).toEqual([
    ['b', 1],
    ['d', 0],
  ]);
});

test('where it may write', () => {
  expect(writesTo({ mode: 'read_only', outputs_prefix: 'a' })).toBe('nothing');
  expect(writesTo({ mode: 'read_write_overlay', outputs_prefix: 'a/' })).toBe('below a/');
  expect(writesTo({ mode: 'read_write_overlay', outputs_prefix: null })).toBe('wherever it may read');
});
