import { expect, test } from 'vitest';
import { points, whoOf } from './show.ts';

test('a contestant is named: an agent with its skill and version, a model, or what was there before it was known', () => {
  const none = { agent: null, skill: null, deploy_id: null, version: null, credential: null, model: null };
  expect(whoOf({ contestant: { ...none, agent: 'greeter', skill: 'greet', version: '1.2.0' } })).toBe('greeter.greet 1.2.0');
  expect(whoOf({ contestant: { ...none, agent: 'greeter', skill: 'greet' } })).toBe('greeter.greet');
  expect(whoOf({ contestant: { ...none, model: 'm-1' } })).toBe('model m-1');
  expect(whoOf({ contestant: null, label: 'B' })).toBe('B');
  expect(whoOf({ contestant: null })).toBe('?');
  expect(points(-1_250)).toBe('-1.3');
});
