import { expect, test } from 'vitest';
import { clientLabel } from './consent-page.ts';

test('a program that describes itself at an address is shown with its host, whatever it calls itself; one that was registered by its name', () => {
  const documented = 'https://tools.example.com/client.json';
  expect(clientLabel({ clientId: documented, clientName: 'Bank of Ada' })).toBe('Bank of Ada (tools.example.com)');
  expect(clientLabel({ clientId: documented })).toBe('tools.example.com');
  expect(clientLabel({ clientId: 'c-17', clientName: '  An\u202Eeditor\n' })).toBe('An editor');
  expect(clientLabel({ clientId: 'c-17', clientName: ' \n' })).toBe('c-17');
  expect(clientLabel({ clientId: 'urn:c-17' })).toBe('urn:c-17');
});
