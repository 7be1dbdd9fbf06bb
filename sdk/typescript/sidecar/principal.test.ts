// A model of the caller is filled by its own names, whichever case they have.
import { expect, it } from 'vitest';
import { wirePrincipal } from './principal.ts';
import { authModel } from './schemas.ts';

const shaped = (properties: readonly string[], principal: unknown): unknown => {
  const schema = { type: 'object', properties: Object.fromEntries(properties.map((name) => [name, { type: 'string' }])), required: [...properties] };
  return wirePrincipal(authModel(schema), schema).parse(principal);
};

it.each([
  [['sub', 'org_id'], { sub: 'ada', orgId: 'acme' }, { sub: 'ada', org_id: 'acme' }],
  [['sub', 'orgId'], { sub: 'ada', orgId: 'acme' }, { sub: 'ada', orgId: 'acme' }],
  [['orgId'], { org_id: 'acme' }, { orgId: 'acme' }],
  [['orgId'], { orgId: 'acme', org_id: 'other' }, { orgId: 'acme' }],
  [['org_id', 'orgId'], { org_id: 'one', orgId: 'two' }, { org_id: 'one', orgId: 'two' }],
])('a model of %j takes %j', (properties, principal, expected) => {
  expect(shaped(properties, principal)).toEqual(expected);
});

it('refuses what says too little', () => {
  expect(() => shaped(['orgId'], { sub: 'ada' })).toThrow(/orgId/);
});
