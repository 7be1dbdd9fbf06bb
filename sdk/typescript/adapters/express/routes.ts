// Routes as Express's own router has them. Of a router that is mounted on a path, Express keeps no path that
// could be read: its routes need a description.
import type { RequestListener } from 'node:http';
import { record } from '../report.ts';
import type { Described } from '../../http/described.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

export function routesOf(app: RequestListener): Described {
  // A function with members. Express 4 has `_router`, and throws where `router` is read.
  const of: { router?: unknown; _router?: unknown } = Object(app);
  const { stack } = Object('_router' in of ? of._router : of.router);
  const operations = (Array.isArray(stack) ? stack.map(record) : []).flatMap(({ route }) => {
    const { path, methods } = record(route);
    if (typeof path !== 'string') return [];
    return METHODS.filter((method) => record(methods)[method] === true).flatMap((method) => (/[*(?{]/.test(path) ? [] : [operationOf(method, path)]));
  });
  return { operations, schemas: {} };
}

function operationOf(method: string, route: string): Described['operations'][number] {
  const names = [...route.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const path = route.replaceAll(/:(\w+)/g, '{$1}');
  const withBody = method === 'post' || method === 'put' || method === 'patch';
  const properties = {
    ...Object.fromEntries(names.map((name) => [name, { type: 'string', minLength: 1 }])),
    query: { type: 'object', description: 'What stands behind the "?".', additionalProperties: { type: 'string' } },
    ...(withBody && { body: { description: 'The body, as JSON.' } }),
  };
  return {
    name: `${method}${path.replaceAll(/[^A-Za-z0-9]+/g, '_').replace(/_$/, '')}`.slice(0, 64),
    description: `${method.toUpperCase()} ${route}`,
    at: `${method.toUpperCase()} ${path}`,
    parameters: [...names.map((name) => ({ name, in: 'path' as const })), { name: 'query', in: 'query' as const }],
    ...(withBody && { body: { type: 'application/json' } }),
    input: { type: 'object', properties, required: names },
  };
}
