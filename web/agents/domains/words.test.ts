import { expect, test } from 'vitest';
import { DNS_RECORD_STATES, DOMAIN_STATES } from '#contract/states.ts';
import { certificateWords, domainWords, recordWords, zoneLine } from './words.ts';

test('every state says something', () => {
  for (const state of DOMAIN_STATES) expect(domainWords({ state, url: 'https://a.example' })).toMatch(/\.$/);
  for (const state of DNS_RECORD_STATES) expect(recordWords({ purpose: 'routing', state })).toMatch(/^Leads visitors here; it .+\.$/);
});

test('certificates', () => {
  const none = { state: 'ordered' as const, not_after: null, renew_at: null, problem: null };
  expect(certificateWords(none, '')).toBe('No certificate yet.');
  expect(certificateWords({ ...none, not_after: 'x', problem: 'The authority is busy.' }, '1 Jan 2027')).toBe(
    'Certificate until 1 Jan 2027. The authority is busy.',
  );
});

test('lines of a zone', () => {
  expect(zoneLine({ name: '_svc.shop.example.com', type: 'TXT', value: 'svc="a"' })).toBe(String.raw`_svc.shop.example.com. 300 IN TXT "svc=\"a\""`);
  expect(zoneLine({ name: 'shop.example.com', type: 'CNAME', value: 'agents.example' })).toBe('shop.example.com. 300 IN CNAME agents.example.');
  expect(zoneLine({ name: 'shop.example.com.', type: 'A', value: '192.0.2.1' })).toBe('shop.example.com. 300 IN A 192.0.2.1');
});
