import { expect, test } from 'vitest';
import { clientLabel } from './consent-page.ts';

test('a program that registered itself is shown as one that calls itself so, whatever marks its name has', () => {
  const clientId = `reg_${'x'.repeat(32)}`;
  expect(clientLabel({ clientId, clientName: 'Claude (claude.ai)' })).toBe('a program that calls itself “Claude (claude.ai)”');
  expect(clientLabel({ clientId, clientName: 'x” (checked) “y' })).toBe("a program that calls itself “x' (checked) 'y”");
  expect(clientLabel({ clientId })).toBe('a program without a name');
});

test('a program that describes itself at an address is shown with its host, whatever it calls itself; one of ours by its name', () => {
  const documented = 'https://tools.example.com/client.json';
  expect(clientLabel({ clientId: documented, clientName: 'Bank of Ada' })).toBe('Bank of Ada (tools.example.com)');
  expect(clientLabel({ clientId: documented })).toBe('tools.example.com');
  expect(clientLabel({ clientId: 'c-17', clientName: '  An\u202Eeditor\n' })).toBe('An editor');
  expect(clientLabel({ clientId: 'c-17', clientName: ' \n' })).toBe('c-17');
  expect(clientLabel({ clientId: 'urn:c-17' })).toBe('urn:c-17');
});
