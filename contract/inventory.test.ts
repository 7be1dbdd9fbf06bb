import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { contract } from './index.ts';
import { compare, InventoryRow, routesOf } from './inventory.ts';
import type { group } from './kit.ts';

const inventory = z.array(InventoryRow).parse(JSON.parse(readFileSync(new URL('./inventory.json', import.meta.url), 'utf8')));

test('the inventory is complete, and the contract differs from it nowhere', () => {
  expect(inventory).toHaveLength(321);
  expect(new Set(inventory.map(({ group: name }) => name)).size).toBe(50);
  expect(compare(routesOf(contract), inventory).differences).toEqual([]);
});

test('a wrong scope, status, error list, group or path is found', () => {
  const rows: InventoryRow[] = [
    { group: 'toy-box', scope: 'account', method: 'GET', path: '/v1/a', success: 200, errors: [401, 403, 422] },
    { group: 'toy-box', scope: 'account', method: 'POST', path: '/v1/b' },
  ];
  const ok = { at: 'GET /v1/a', summary: '', scope: 'account', errors: [403, 401] } as const;
  const find = (routes: Parameters<typeof group>[0], key = 'toyBox') => compare(routesOf({ [key]: routes }), rows);
  expect(find({ ok })).toEqual({ differences: [], missing: [rows[1]] });
  expect(find({ a: { ...ok, scope: 'public' } }).differences).toHaveLength(1);
  expect(find({ a: { ...ok, status: 201 } }).differences).toHaveLength(1);
  expect(find({ a: { ...ok, errors: [401] } }).differences).toHaveLength(1);
  expect(find({ a: { ...ok, limit: 'code' } }).differences).toHaveLength(1);
  expect(find({ a: { ...ok, at: 'GET /v1/c' } }).differences).toHaveLength(1);
  expect(find({ a: ok, again: ok }).differences).toHaveLength(1);
  expect(find({ ok }, 'other').differences).toHaveLength(1);
});
