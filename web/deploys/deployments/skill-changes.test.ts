import { expect, test } from 'vitest';
import { skillChanges } from './skill-changes.ts';

const card = (...skills: { id: string; description?: string }[]) => ({ skills });

test('skills that came, went and changed, and none that stayed', () => {
  const before = card({ id: 'stays' }, { id: 'goes' }, { id: 'changes', description: 'a' });
  const after = card({ id: 'comes' }, { id: 'changes', description: 'b' }, { id: 'stays' });
  expect(skillChanges(before, after)).toEqual([
    { id: 'comes', kind: 'added' },
    { id: 'changes', kind: 'changed' },
    { id: 'goes', kind: 'removed' },
  ]);
});

test('without a card everything came, or went', () => {
  expect(skillChanges(null, card({ id: 'a' }))).toEqual([{ id: 'a', kind: 'added' }]);
  expect(skillChanges(card({ id: 'a' }), null)).toEqual([{ id: 'a', kind: 'removed' }]);
  expect(skillChanges(null, null)).toEqual([]);
});
