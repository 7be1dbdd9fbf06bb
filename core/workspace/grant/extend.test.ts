import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { grantFilter } from '#contract/wire/containment.ts';
import { isUnder, matcher } from '#contract/wire/patterns.ts';
import { type Reach, widenedReach } from './extend.ts';

const reach = (more: Partial<Reach>): Reach => ({ mode: 'read_only', allow_patterns: [], deny_patterns: [], outputs_prefix: null, ...more });

describe('a wider grant', () => {
  test('that was asked for reading makes nothing writable', () => {
    // All of out/ could be written; were docs/ just added, it could be written too.
    const anywhere = reach({ mode: 'read_write_overlay', allow_patterns: ['out/**'] });
    expect(widenedReach(anywhere, { read: ['docs/**'], writePrefix: null, mode: 'read_only' })).toMatchObject({
      mode: 'read_only',
      allow_patterns: ['out/**', 'docs/**'],
    });
    expect(widenedReach(anywhere, { read: ['out/a'], writePrefix: null, mode: 'read_only' })).toMatchObject({
      mode: 'read_write_overlay',
      outputs_prefix: null,
    });
    const folder = reach({ mode: 'read_write_overlay', allow_patterns: ['out/**'], outputs_prefix: 'out' });
    expect(widenedReach(folder, { read: ['docs/**'], writePrefix: null, mode: 'read_only' })).toMatchObject({
      mode: 'read_write_overlay',
      outputs_prefix: 'out',
    });
    const part = reach({ mode: 'read_write_overlay', allow_patterns: ['out/a/**'], outputs_prefix: 'out' });
    expect(widenedReach(part, { read: ['out/**'], writePrefix: null, mode: 'read_only' })).toMatchObject({ mode: 'read_only', outputs_prefix: null });
  });

  test('that was asked for a folder writes there, and elsewhere only where that is sure to have been so', () => {
    const reading = reach({ allow_patterns: ['docs/**'] });
    expect(widenedReach(reading, { read: [], writePrefix: 'out', mode: 'read_only' })).toEqual(
      reach({ mode: 'read_write_overlay', allow_patterns: ['docs/**', 'out/**'], outputs_prefix: 'out' }),
    );
    const folder = reach({ mode: 'read_write_overlay', allow_patterns: ['out/**'], outputs_prefix: 'out' });
    expect(widenedReach(folder, { read: [], writePrefix: 'out/deep', mode: 'read_write_overlay' }).outputs_prefix).toBe('out');
    expect(widenedReach(folder, { read: [], writePrefix: 'other', mode: 'read_write_overlay' }).outputs_prefix).toBe('other');
    expect(widenedReach(reading, { read: [], writePrefix: null, mode: 'read_write_overlay' })).toMatchObject({
      mode: 'read_write_overlay',
      outputs_prefix: null,
    });
  });

  const segments = fc.constantFrom('a', 'b', '*', '**', 'a*');
  const patterns = fc.array(fc.array(segments, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')), { maxLength: 3 }); // prettier-ignore
  const prefix = fc.option(fc.constantFrom('a', 'a/b', 'b'), { nil: null });
  const mode = fc.constantFrom('read_only' as const, 'read_write_overlay' as const);
  const parents = fc.record({ mode, allow_patterns: patterns, deny_patterns: patterns, outputs_prefix: prefix });
  const wishes = fc.record({ mode, read: patterns, deny: patterns, writePrefix: prefix });
  const names = ['a', 'b', 'c', 'ab'];
  const two = names.flatMap((one) => names.map((other) => `${one}/${other}`));
  const paths = [...names, ...two, ...two.flatMap((pair) => names.map((name) => `${pair}/${name}`))];

  test('allows what was held or asked for, never what is denied, and nothing else', () => {
    fc.assert(
      fc.property(parents, wishes, (parent, wish) => {
        const made = widenedReach(parent, wish);
        const wider = { ...made, mode: modeOf(made) };
        const [read, write] = [grantFilter(wider, 'read'), grantFilter(wider, 'write')];
        const [didRead, didWrite] = [grantFilter(parent, 'read'), grantFilter(parent, 'write')];
        const [isDenied, isAsked] = [matcher([...parent.deny_patterns, ...wish.deny]), matcher(wish.read)];
        for (const path of paths) {
          const underFolder = wish.writePrefix !== null && isUnder(wish.writePrefix, path);
          const denied = isDenied(path);
          const mayRead = !denied && (didRead(path) || isAsked(path) || underFolder);
          if (read(path) !== mayRead) throw new Error(`read ${path}: ${read(path)}`);
          if (!write(path)) continue;
          const askedToWrite = underFolder || (wish.writePrefix === null && wish.mode === 'read_write_overlay');
          if (denied || !(didWrite(path) || askedToWrite)) throw new Error(`write ${path}`);
        }
      }),
      { numRuns: 100 },
    );
  });

  function modeOf({ mode: text }: Reach): 'read_only' | 'read_write_overlay' {
    return text === 'read_write_overlay' ? text : 'read_only';
  }
});
