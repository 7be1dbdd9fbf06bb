import { expect, test } from 'vitest';
import { escapeReferences, resolveArgs } from './references.ts';

test('escaped texts come back as they were, whatever they look like; nothing else is changed', () => {
  const args = { a: '$1.result', b: ['$$1.result.x', '$$$2.result'], c: { d: '$1.resulting', e: '$1.result.', f: '$', g: 7, h: null } };
  const escaped = escapeReferences(args);
  expect(escaped).toMatchObject({ a: '$$1.result', b: ['$$$1.result.x', '$$$$2.result'], c: { d: '$1.resulting' } });
  expect(resolveArgs(escaped, () => 'stolen')).toEqual({ args, missing: [] });
  expect(resolveArgs(args, () => 'given').args).toMatchObject({ a: 'given' });
});
