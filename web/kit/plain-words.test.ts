import { expect, test } from 'vitest';
import { namesInWords, withoutCommands } from './plain-words.ts';

test('a sentence is whole without the command that it names', () => {
  expect(withoutCommands('Set budgets (svc control-room), or write rules.')).toEqual({ text: 'Set budgets, or write rules.', command: 'svc control-room' });
  expect(withoutCommands('Set the secret API_KEY: svc secrets set harbour API_KEY')).toEqual({
    text: 'Set the secret API_KEY',
    command: 'svc secrets set harbour API_KEY',
  });
  expect(withoutCommands('The account has no model credential: add one with "svc models set"')).toMatchObject({ text: 'The account has no model credential' });
});

test('names of programs are words', () => {
  expect(namesInWords('Once it is sandbox_simulated, move it to enabled_private')).toBe('Once it is sandbox simulated, move it to enabled private');
});
