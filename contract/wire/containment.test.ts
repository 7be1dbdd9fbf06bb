import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { containmentFault, grantAllows, grantFilter, MAX_GRANT_DEPTH } from './containment.ts';
import type { Grant } from './grant.ts';
import { isPath, isPattern } from './patterns.ts';
import { cites } from '#test/spec/verifies.ts';

const NOW = 1_795_201_200;
const parent: Grant & { depth: number } = {
  grant_id: 'grt_parent',
  issuer: 'usr_1',
  audience: 'reader',
  bucket: 'usr:usr_1',
  mode: 'read_write_overlay',
  allow_patterns: ['docs/**', 'notes/*.md'],
  deny_patterns: ['**/.env*'],
  outputs_prefix: 'docs/out',
  issued_at: NOW,
  expires_at: NOW + 300,
  nonce: 'nonce-of-the-parent',
  depth: 0,
};
const { depth: _, ...fields } = parent;
const child: Grant = { ...fields, grant_id: 'grt_child', issuer: 'reader', audience: 'helper', nonce: 'nonce-of-the-child' };
const faultOf = (change: Partial<Grant>, of: Partial<typeof parent> = {}) => containmentFault({ ...parent, ...of }, { ...child, ...change })?.code;

describe('a child within its parent', () => {
  it('may be the same in everything', () => void expect(containmentFault(parent, child)).toBeUndefined());

  it.each<[string | undefined, Partial<Grant>, Partial<typeof parent>]>([
    ['wrong_bucket', { bucket: 'usr:usr_2' }, {}],
    ['wrong_issuer', { issuer: 'usr_1' }, {}],
    ['wrong_issuer', { issuer: 'helper' }, {}],
    ['too_deep', {}, { depth: MAX_GRANT_DEPTH }],
    [undefined, {}, { depth: MAX_GRANT_DEPTH - 1 }],
    ['too_deep', {}, { depth: Number.NaN }],
    ['outlives_parent', { expires_at: NOW + 301 }, {}],
    ['outlives_parent', { expires_at: Number.NaN }, {}],
    [undefined, { expires_at: NOW + 1 }, {}],
    ['wider_mode', {}, { mode: 'read_only' }],
    [undefined, { mode: 'read_only' }, {}],
    ['wider_outputs_prefix', { outputs_prefix: null }, {}],
    ['wider_outputs_prefix', { outputs_prefix: 'docs' }, {}],
    ['wider_outputs_prefix', { outputs_prefix: 'docs/output' }, {}],
    ['wider_outputs_prefix', { mode: 'read_only', outputs_prefix: 'docs' }, {}],
    [undefined, { mode: 'read_only', outputs_prefix: null }, {}],
    [undefined, { outputs_prefix: 'docs/out/deeper' }, {}],
    [undefined, { outputs_prefix: 'docs/out' }, { outputs_prefix: null }],
    [undefined, { outputs_prefix: null }, { outputs_prefix: null }],
    ['wider_patterns', { allow_patterns: ['**'] }, {}],
    ['wider_patterns', { allow_patterns: ['docs/**', 'notes/**'] }, {}],
    ['wider_patterns', { deny_patterns: [] }, {}],
    ['wider_patterns', { deny_patterns: ['**/.env'] }, {}],
    // What is denied above cannot be in what is allowed below.
    [undefined, { allow_patterns: ['notes/a.md'], deny_patterns: [] }, {}],
    [undefined, { allow_patterns: ['docs/*/x'], deny_patterns: ['**/.env*', 'docs/a/**'] }, {}],
    [undefined, { allow_patterns: [], deny_patterns: [] }, {}],
    ['undecided_patterns', { allow_patterns: ['not//one'] }, {}],
  ])('%s: child %j of %j', (fault, change, of) => void expect(faultOf(change, of)).toBe(fault));

  it('explains what is wrong in a sentence, with a path as an example', () => {
    expect(containmentFault(parent, { ...child, allow_patterns: ['docs/**', 'src/main.ts'] })?.message).toContain('"src/main.ts"');
  });

  const names = fc.constantFrom('a', 'b', '*', '**', '?', 'a*');
  const patterns = fc.array(fc.array(names, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')).filter(isPattern), { maxLength: 3 }); // prettier-ignore
  const prefix = fc.option(fc.constantFrom('a', 'a/b', 'b', 'ab'), { nil: null });
  const mode = fc.constantFrom('read_only' as const, 'read_write_overlay' as const);
  const terms = fc.record({ mode, allow_patterns: patterns, deny_patterns: patterns, outputs_prefix: prefix });
  const paths = (() => {
    const segments = ['a', 'b', 'c', 'ab', '.a'];
    const two = segments.flatMap((one) => segments.map((other) => `${one}/${other}`));
    return [...segments, ...two, ...two.flatMap((pair) => segments.map((one) => `${pair}/${one}`))];
  })();

  it('never reads or writes a path that its parent may not', cites('workspace.delegate'), () => {
    let contained = 0;
    fc.assert(
      fc.property(terms, terms, fc.boolean(), (above, below, inherits) => {
        // Half of them take after their parent, or hardly any would be contained.
        const terms = inherits
          ? { ...above, ...(below.mode === 'read_only' ? { mode: below.mode } : {}), deny_patterns: [...above.deny_patterns, ...below.deny_patterns] }
          : below;
        const [p, c] = [
          { ...parent, ...above },
          { ...child, ...terms },
        ];
        if (containmentFault(p, c)) return;
        contained += 1;
        const [reads, writes, mayRead, mayWrite] = [grantFilter(c, 'read'), grantFilter(c, 'write'), grantFilter(p, 'read'), grantFilter(p, 'write')];
        for (const path of paths) {
          if (reads(path) && !mayRead(path)) throw new Error(`read ${path}`);
          if (writes(path) && !mayWrite(path)) throw new Error(`write ${path}`);
        }
      }),
      { numRuns: 200 },
    );
    expect(contained).toBeGreaterThan(40);
  });

  it('and is not refused when it asks for less', () => {
    fc.assert(
      fc.property(terms, patterns, (above, denied) => {
        const reading = { ...child, ...above, mode: 'read_only' as const, outputs_prefix: null, deny_patterns: [...above.deny_patterns, ...denied] };
        expect(containmentFault({ ...parent, ...above }, reading)).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });
});

describe('what a grant allows', () => {
  it('reading: within its patterns; writing: in its mode, under its folder too', () => {
    const allowed = (path: string, of: Partial<Grant> = {}) => [
      grantAllows({ ...parent, ...of }, path, 'read'),
      grantAllows({ ...parent, ...of }, path, 'write'),
    ];
    expect(allowed('docs/a')).toEqual([true, false]);
    expect(allowed('docs/out/a')).toEqual([true, true]);
    expect(allowed('docs/out/a', { mode: 'read_only' })).toEqual([true, false]);
    expect(allowed('docs/a', { outputs_prefix: null })).toEqual([true, true]);
    expect(allowed('docs/out/.env')).toEqual([false, false]);
    expect(allowed('src/a', { outputs_prefix: 'src' })).toEqual([false, false]);
    expect(allowed('docs/output/a')).toEqual([true, false]);
    for (const path of ['docs/../src/a', 'docs//a', '/docs/a', 'docs/out/../../x', 'docs/out/', '', 'docs/out/e\u0301']) {
      expect(isPath(path)).toBe(false);
      expect(allowed(path, { allow_patterns: ['**'], deny_patterns: [], outputs_prefix: null })).toEqual([false, false]);
    }
  });
});
