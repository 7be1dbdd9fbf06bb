// Calls of what running agents ask, which is no route of the contract, with records of Ada's and valid
// bodies.
import type { DeclaredRoute } from '#contract/inventory.ts';
import { routesOf } from '#contract/inventory.ts';
import { isSchema, locate } from '#contract/kit.ts';
import { pathOf } from '#contract/route-table.ts';
import { runContract } from '#contract/run/index.ts';
import { sample } from '#contract/sample.ts';

export const RUN_ROUTES: DeclaredRoute[] = routesOf(runContract);

interface Sent {
  url: string;
  records: Record<string, string>;
  token: string | undefined;
  headers?: Record<string, string>;
}

export function callRunRoute({ id, spec }: DeclaredRoute, { url, records, token, headers = {} }: Sent): Promise<Response> {
  const names = Object.keys(spec.params?._zod.def.shape ?? {});
  const params = Object.fromEntries(names.map((one) => [one, records[`${id}.${one}`] ?? records[one] ?? 'x']));
  const query = spec.query ? Object(sample(spec.query)) : {};
  const body = spec.body && isSchema(spec.body) ? JSON.stringify(sample(spec.body)) : undefined;
  return fetch(url + pathOf(spec, { params, query }), {
    method: locate(spec).method,
    redirect: 'manual',
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
}
