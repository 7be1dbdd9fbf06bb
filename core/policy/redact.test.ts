import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { ends } from '#test/support/ends.ts';
import { redactText, redactValue } from './redact.ts';

test.each([
  ['Write to Ada <ada.lovelace+x@mail.example.co.uk>, please', 'Write to Ada <[e-mail]>, please'],
  ['für jörg@müller.example.', 'für [e-mail].'],
  ['Pay DE89 3704 0044 0532 0130 00 today', 'Pay [iban] today'],
  ['GB82WEST12345698765432,', '[iban],'],
  ['gb82 west 1234 5698 7654 32 and more words', '[iban] and more words'],
  ['card 4111 1111 1111 1111 exp 12/27', 'card [card] exp 12/27'],
  ['378282246310005', '[card]'],
  ['call +49 (30) 901820 or +1-415-555-0132', 'call [phone] or [phone]'],
  ['call (415) 555-0132 or 415.555.0132', 'call [phone] or [phone]'],
  ['Tel. 030/901820', 'Tel. [phone]'],
])('%s', (text, redacted) => expect(redactText(text)).toBe(redacted));

test.each([
  '2026-11-26T06:15:00.123Z, version 10.2.3, 192.168.100.200',
  '4111 1111 1111 1112 has a wrong check digit',
  'DE89 3704 0044 0532 0130 01 has a wrong check digit',
  '0000 0000 0000 0000',
  'run_0192f0c4-7b1e-7a3c-9d2e-5f6a7b8c9d0e costs 1234567890123456789012 of 1,000,000',
  'user@host is no address, nor is @ada',
  `data:image/png;base64,${'+4915112345678'.repeat(10)}`,
  'A1+4915112345678/'.repeat(20),
])('leaves %s', (text) => expect(redactText(text)).toBe(text));

test('leaves ids, and redacts around them', () => {
  // Groups of digits that pass for a card's number and for a telephone's.
  const ids = ['wsp_01976a4c-4111-7111-8111-111111111111', ...Array.from({ length: 2000 }, () => `run_${randomUUID().replaceAll(/[a-f]/g, '4')}`)];
  for (const id of ids) expect(redactText(`${id}, a@b.example`)).toBe(`${id}, [e-mail]`);
});

test('in every text of a value, not in names of members or numbers', () => {
  const value = { 'a@b.example': [{ content: 'to a@b.example', n: 4111111111111111 }, null, true] };
  expect(redactValue(value)).toEqual({ 'a@b.example': [{ content: 'to [e-mail]', n: 4111111111111111 }, null, true] });
});

test('a long text that nearly matches everywhere takes no longer than its length', () => {
  const texts = ['1 '.repeat(200_000), 'a.'.repeat(200_000), 'GB82'.repeat(100_000), '+1 (('.repeat(80_000), `${'a@b.'.repeat(80_000)}!`];
  for (const text of texts) expect(ends(() => redactText(text))).toEqual(expect.any(String));
});
