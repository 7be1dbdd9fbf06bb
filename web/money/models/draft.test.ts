import { expect, test } from 'vitest';
import type { Output } from '../../api/client.ts';
import { type Draft, draftOf, faultsOf, inputOf } from './draft.ts';

const at = '2026-11-01T00:00:00.000Z';
const stored: Output<'llmCreds', 'list'>['items'][number] = {
  name: 'own',
  provider: 'openai_compatible',
  base_url: 'https://models.example.com/v1',
  model: 'm-1',
  priced: true,
  price: { input_micros_per_mtok: 1, output_micros_per_mtok: 2 },
  has_key: true,
  key_hint: 'abcd',
  default: false,
  monthly_budget_micros: 2_500_000,
  agent_run_budget_micros: null,
  month: '2026-11',
  spent_micros: 0,
  reserved_micros: 0,
  check: { state: 'works', code: null, message: null, at },
  created_at: at,
  updated_at: at,
};
const providers = [
  { provider: 'openai' as const, base_url: 'https://api.openai.com/v1' },
  { provider: 'openai_compatible' as const, base_url: null },
];

test('what is not touched stays as it is; the key stays where none is written', () => {
  const draft = draftOf(stored, providers);
  expect(draft).toMatchObject({ baseUrl: 'https://models.example.com/v1', key: '', budget: '2.50', runBudget: '' });
  expect(inputOf(draft, stored)).toEqual({
    name: 'own',
    provider: 'openai_compatible',
    base_url: 'https://models.example.com/v1',
    model: 'm-1',
    default: false,
    monthly_budget_micros: 2_500_000,
    agent_run_budget_micros: null,
    price: { input_micros_per_mtok: 1, output_micros_per_mtok: 2 },
    probe: true,
  });
});

test("another model does not keep the price of the one before; a preset's address is not sent", () => {
  expect(inputOf({ ...draftOf(stored, providers), model: 'm-2' }, stored).price).toBeNull();
  expect(inputOf({ ...draftOf(undefined, providers), key: ' sk-1 ' }, undefined)).toMatchObject({ name: 'main', provider: 'openai', api_key: 'sk-1' });
  expect(inputOf(draftOf(undefined, providers), undefined)).not.toHaveProperty('base_url');
});

test('what is missing or wrong is said at its field', () => {
  const draft: Draft = { ...draftOf(undefined, providers), name: 'Main', budget: '1,50', runBudget: '-1' };
  expect(Object.keys(faultsOf(draft, { needsKey: true, needsAddress: false, hasKey: false }))).toEqual(['name', 'key', 'budget', 'runBudget']);
  expect(Object.keys(faultsOf(draftOf(undefined, providers), { needsKey: false, needsAddress: true, hasKey: false }))).toEqual(['baseUrl', 'model']);
  expect(faultsOf(draftOf(stored, providers), { needsKey: true, needsAddress: true, hasKey: true })).toEqual({});
});
