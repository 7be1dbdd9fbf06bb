import { expect, test } from 'vitest';
import { nameOf, points, signed } from './words.ts';

const none = { agent: null, skill: null, deploy_id: null, version: null, credential: null, model: null };

test('a contestant is named as far as it may be known', () => {
  expect(nameOf({ contestant: null, label: 'Entry 7F3A' })).toBe('Entry 7F3A');
  expect(nameOf({ contestant: { ...none, agent: 'reader', skill: 'read', version: '1.0.0' }, label: '' })).toBe('reader.read 1.0.0');
  expect(nameOf({ contestant: { ...none, model: 'm-1' }, label: '' })).toBe('Model m-1');
});

test('points have one digit, and a difference its sign', () => {
  expect([points(99_960), signed(1_200), signed(-500), signed(0)]).toEqual(['100.0', '+1.2', '-0.5', '0.0']);
});
