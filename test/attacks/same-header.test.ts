// A caller names a header as the platform does, but for one character: to WSGI, CGI, Rack and PHP
// `x_svc_user_id` is the same variable as `x-svc-user-id`.
import { expect, test } from 'vitest';
import { toAgent, toCaller } from '#api/ingress/headers.ts';
import { HEADER } from '#contract/wire/headers.ts';

const OURS = [...Object.values(HEADER).filter((name) => name.startsWith('x-')), 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];
/** As PEP 3333 makes a variable of a header; PHP does the same to dots. */
const variable = (name: string): string => `HTTP_${name.toUpperCase().replaceAll(/[-.]/g, '_')}`;
const spellings = (name: string): string[] => [
  name,
  name.replaceAll('-', '_'),
  name.replaceAll('-', '.'),
  name.replace('-', '_'),
  name.replaceAll('-', '_').toUpperCase(),
];

function asSeen(sent: string[]): Record<string, string[]> {
  const request = { rawHeaders: sent.flatMap((name) => [name, 'forged']), headers: {} };
  const asked = { request, requestId: 'req_1', route: { apiKey: 'key' }, callerAuthorization: undefined };
  const headers = toAgent(asked, { ip: '198.51.100.7', https: true });
  const seen: Record<string, string[]> = {};
  for (let i = 0; i + 1 < headers.length; i += 2) (seen[variable(headers[i] ?? '')] ??= []).push(headers[i + 1] ?? '');
  return seen;
}

test('no spelling of a header that is the platform’s word reaches an agent', () => {
  const sent = OURS.flatMap(spellings);
  expect(sent.length).toBeGreaterThan(60);
  for (const name of sent) expect(asSeen([name])[variable(name)] ?? [], name).not.toContain('forged');
  expect(asSeen(['x-own', 'x_own_thing'])).toMatchObject({ HTTP_X_OWN: ['forged'], HTTP_X_OWN_THING: ['forged'] });
});

test('nor a receipt that an agent makes up its caller', () => {
  const sent = [HEADER.receiptId, HEADER.traceId, HEADER.runToken].flatMap(spellings).map((name) => name.toLowerCase());
  expect(Object.keys(toCaller(Object.fromEntries(sent.map((name) => [name, 'forged'])), 'req_1'))).toEqual([HEADER.requestId]);
});
