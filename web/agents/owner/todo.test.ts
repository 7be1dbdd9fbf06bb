import { expect, test } from 'vitest';
import { type Facts, todos } from './todo.ts';

// Safe: only the members that todos() looks at.
const facts = (more: object): Facts =>
  ({
    mine: { state: 'live', out_of_service: null, imported: null, last_deployment: null },
    deployment: null,
    secrets: null,
    domains: null,
    healing: null,
    review: null,
    findings: null,
    ...more,
  }) as unknown as Facts;

test('nothing where nothing is wrong', () => {
  expect(
    todos(facts({ secrets: { items: [], missing: [] }, domains: [{ display_name: 'a.example', state: 'active', problem: null, certificate: null }] })),
  ).toEqual([]);
});

test('the gravest first, each with the place where it is put right', () => {
  const found = todos(
    facts({
      domains: [{ display_name: 'a.example', state: 'pending', problem: 'A record is missing.', certificate: null }],
      secrets: { items: [], missing: ['API_TOKEN'] },
      deployment: { warnings: [{ code: 'secret_missing', message: 'API_TOKEN is missing' }] },
      review: { critical_count: 2, summary: 'Two.' },
      findings: { frozen_by: 'fnd_1' },
    }),
  );
  expect(found.map(({ title, to, grave }) => [title, to, grave])).toEqual([
    ['Publishing is blocked', 'challenges', true],
    ['1 secret is missing', 'secrets', true],
    ['2 critical findings in the newest review', 'reviews', true],
    ['a.example is pending', 'domains', false],
  ]);
});

test('a failed deployment is grave where nothing serves', () => {
  const last_deployment = { state: 'failed', deploy_id: 'dep_1', error: { message: 'No svc.yaml' } };
  const of = (state: string) => todos(facts({ mine: { state, out_of_service: null, imported: null, last_deployment } }))[0];
  expect(of('failed')).toMatchObject({ grave: true, text: 'No svc.yaml', deployId: 'dep_1' });
  expect(of('live')).toMatchObject({ grave: false });
});
