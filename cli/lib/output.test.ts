// Tables: whole where they are piped, cut on a terminal without losing an id.
import { expect, test } from 'vitest';
import { table } from './output.ts';

const long = 'all about the harbour of a large town, its ships, its cranes and its people, every day';
const rows = [['run_0193', 'https://a.example/a/long/address/that/is/longer/than/any/cell/of/text/may/be', long]];

test('piped, nothing of a table is left out', () => {
  expect(table(['ID', 'URL', 'WHAT'], rows)[1]).toBe(`run_0193  ${rows[0]?.[1]}  ${long}`);
});

test('on a terminal text is cut to the line; addresses and ids are whole, at 40 columns too', () => {
  expect(table(['ID', 'WHAT'], [['run_0193', long]], 40)).toEqual(['ID        WHAT', 'run_0193  all about the harbour of a la…']);
  expect(table(['ID', 'WHAT'], [['run_0193', long]], 200)[1]).toHaveLength(70);
  expect(table(['ID', 'URL', 'WHAT'], rows, 40)[1]).toBe(`run_0193  ${rows[0]?.[1]}  all about…`);
  expect(table(['WHAT', 'URL'], [[long, rows[0]?.[1] ?? '']], 40)[1]).toContain(`…  ${rows[0]?.[1]}`);
});
