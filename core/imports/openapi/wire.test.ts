// Fifty operations of every style and body: what arrives is what the tables of OpenAPI say. FastMCP on the
// same: test/outside/fastmcp.outside.test.ts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listeningApi } from './test/agent.ts';
import { callOurs, expected, type Sent, shown } from './test/on-the-wire.ts';
import { documentOf, operations } from './test/operations.ts';

let sent: Map<string, Sent>;
let close: () => unknown;
beforeAll(async () => {
  const api = await listeningApi();
  close = api.close;
  sent = await callOurs(documentOf(api.url), api.heard);
});
afterAll(() => close());

test('there are fifty, and no name comes twice', () => {
  expect(operations).toHaveLength(50);
  expect(new Set(operations.map(({ name }) => name)).size).toBe(50);
});

test.each(operations.map((one) => [one.name, one] as const))('%s', (name, operation) => {
  expect(shown(operation, sent.get(name))).toEqual(expected(operation));
});
