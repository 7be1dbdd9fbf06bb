import { expect, test } from 'vitest';
import { ERRORS } from '#contract/errors/index.ts';
import { remedyIn } from './remedies.ts';

test('a command is told apart from what to do in the page', () => {
  expect(remedyIn('Add one: svc models set.')).toEqual({ text: 'Add one.', command: 'svc models set', page: { label: 'Models', to: '/models' } });
  expect(remedyIn('List your organizations (svc orgs list), or ask an admin of it for an invitation.')).toMatchObject({
    text: 'List your organizations, or ask an admin of it for an invitation.',
    command: 'svc orgs list',
  });
  expect(remedyIn('Store what it needs with svc secrets set.')).toMatchObject({ text: '', command: 'svc secrets set', page: { to: '/agents/mine' } });
  expect(remedyIn('Wait a minute and try again.')).toEqual({ text: 'Wait a minute and try again.', command: undefined, page: undefined });
});

test('no remedy of the API names a command in the page', () => {
  const named = Object.values(ERRORS).filter(({ remedy }) => /\bsvc [a-z]/.test(remedyIn(remedy).text));
  expect(named).toEqual([]);
});
