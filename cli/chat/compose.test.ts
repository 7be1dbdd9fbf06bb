import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { composeFile, resourcesOf } from './compose.ts';

const books = { name: 'books', branch: 'main', access: 'read_only' as const, variable: 'BOOKS_URL' };
const orders = { name: 'orders', branch: 'preview', access: 'owner' as const, variable: 'ORDERS_URL' };

test('each declared database is a server of its own, in its variable', () => {
  const resources = { databases: [books, orders] };
  expect(resourcesOf(resources).map(({ service, env, url }) => [service, env, url('127.0.0.1', 5)])).toEqual([
    ['database-books-main', 'BOOKS_URL', 'postgres://svc:local@127.0.0.1:5/svc'],
    ['database-orders-preview', 'ORDERS_URL', 'postgres://svc:local@127.0.0.1:5/svc'],
  ]);
  const file: unknown = parse(
    composeFile({ agent: 'a', resources, baseImage: 'b', host: '127.0.0.1', port: 8000, envFile: '.env.local', workspace: undefined }),
  );
  expect(file).toMatchObject({
    services: {
      'database-books-main': { image: 'postgres:17-alpine', ports: ['127.0.0.1::5432'] },
      agent: { environment: { BOOKS_URL: 'postgres://svc:local@database-books-main:5432/svc', ORDERS_URL: expect.any(String) } },
    },
  });
});

test('two members of one database on one branch are one server, in both variables', () => {
  const reports = { ...books, variable: 'REPORTS_URL' };
  const file: unknown = parse(
    composeFile({ agent: 'a', resources: { databases: [books, reports] }, baseImage: 'b', host: 'h', port: 1, envFile: '.env', workspace: undefined }),
  );
  expect(Object.keys((file as { services: object }).services)).toEqual(['database-books-main', 'agent']);
});
