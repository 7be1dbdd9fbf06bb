import fc from 'fast-check';
import { expect, test } from 'vitest';
import { artifactAddress, fileAddress, readAddress } from './addresses.ts';

const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .filter((text) => !/[/\\\p{Cc}]/u.test(text) && text !== '.' && text !== '..' && text.isWellFormed());

test('an address is read as what it was made of', () => {
  fc.assert(fc.property(name, name, (runId, file) => void expect(readAddress(artifactAddress(runId, file))).toEqual({ kind: 'artifact', runId, name: file })));
  fc.assert(
    fc.property(
      name,
      fc.array(name, { minLength: 1, maxLength: 4 }),
      (workspace, path) => void expect(readAddress(fileAddress(workspace, path.join('/')))).toEqual({ kind: 'file', workspace, path: path.join('/') }),
    ),
  );
});

test.each([
  'svc://artifacts/run',
  'svc://artifacts/run/a/b',
  'svc://artifacts/run/..',
  'svc://artifacts/run/%2e%2e',
  'svc://artifacts/run/a%2fb',
  'svc://artifacts/run/a%5cb',
  'svc://artifacts/run/a%00',
  'svc://artifacts/run/%',
  'svc://artifacts/run/a?x=1',
  'svc://workspaces/ada',
  'svc://workspaces/ada/',
  'svc://workspaces/ada/a//b',
  'svc://workspaces/ada/../ben/a',
  'svc://workspaces/%2e%2e/a',
  'svc://workspaces/ada/a/%2E%2E/b',
  'svc://others/a/b',
  'SVC://artifacts/run/a',
  'file:///etc/passwd',
  'https://user@host/v1/agents/a/api/files/run/x?token=1',
  'https://host/v1/agents/a/api/files/run/x/y?token=1',
  'https://host/else/run/x',
  `svc://workspaces/ada/${'a'.repeat(9000)}`,
])('%s is the address of nothing', (uri) => expect(readAddress(uri)).toBeUndefined());

test('the link of an artifact is its address, with its token', () => {
  expect(readAddress('https://host/v1/agents/a/api/files/run_1/a%20b?token=1.x')).toEqual({ kind: 'artifact', runId: 'run_1', name: 'a b', link: '1.x' });
  expect(readAddress('http://127.0.0.1:1/artifacts/run_1/x')).toEqual({ kind: 'artifact', runId: 'run_1', name: 'x', link: '' });
});
