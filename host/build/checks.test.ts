import { expect, test } from 'vitest';
import { installedTools } from '../images/check-tools.ts';
import { toolsFor } from './checks.ts';

const tools = async (): Promise<string> => '/tools';

test('the compiler is wanted only for types', async () => {
  expect(await toolsFor({ checks: undefined, language: 'python' }, tools)).toBeUndefined();
  expect(await toolsFor({ checks: 'tests', language: 'typescript' }, tools)).toBeUndefined();
  expect(await toolsFor({ checks: 'tests_and_types', language: 'javascript' }, tools)).toBe('/tools');
});

test('other languages are refused, and types where the host has no compiler', async () => {
  await expect(toolsFor({ checks: 'tests', language: 'python' }, tools)).rejects.toMatchObject({
    code: 'checks_failed',
    message: 'Checks are for TypeScript and JavaScript projects, and this one is python.',
  });
  await expect(toolsFor({ checks: 'tests_and_types', language: 'typescript' }, undefined)).rejects.toMatchObject({ code: 'internal' });
});

test('a missing compiler is reported; this installation has it', () => {
  expect(() => installedTools('file:///nowhere/of/all/x.ts')).toThrow(/typescript is not installed.*npm run setup/);
  expect(installedTools().compiler).toMatch(/typescript.*\/lib$/);
});
