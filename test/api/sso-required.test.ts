// An organization that requires its own sign-in, asked by its owner whose token was made otherwise: every
// route at which somebody acts for an account refuses, before it looks at anything; those that name the
// organization in their path do too. A new route is checked against this without a line of its own.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ErrorResponse } from '#contract/error-response.ts';
import { routesOf } from '#contract/inventory.ts';
import { isSchema, locate } from '#contract/kit.ts';
import { pathOf } from '#contract/route-table.ts';
import { sample } from '#contract/sample.ts';
import { internal } from '#api/handlers.ts';
import { ADMITS } from '#api/http/scopes.ts';
import { createWorld, ROUTES, type World } from './world.ts';

let world: World;
let slug: string;
beforeAll(async () => {
  world = await createWorld();
  slug = world.records['organizationSso.get.slug'] ?? '';
  await world.ctx.db('sso_connections').update({ required: true });
});
afterAll(() => world.close());

const all = [...ROUTES, ...routesOf(internal.contract)];
const isAccount = ({ spec }: (typeof all)[number]): boolean => (ADMITS[spec.scope] as readonly string[]).includes('user') && spec.scope !== 'operator';

/** `403 sso_required`, or what it answered instead. */
async function asked({ id, spec }: (typeof all)[number], acts: boolean): Promise<string> {
  const { method } = locate(spec);
  const names = Object.keys(spec.params?._zod.def.shape ?? {});
  const params = Object.fromEntries(names.map((one) => [one, world.records[`${id}.${one}`] ?? world.records[one] ?? 'x']));
  const body = spec.body && isSchema(spec.body) && method !== 'GET' ? JSON.stringify(BODIES[id] ?? sample(spec.body)) : undefined;
  const headers = {
    authorization: `Bearer ${world.tokens.ada}`,
    ...(acts && { 'svc-organization': slug }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const response = await fetch(world.url + pathOf(spec, { params, query: {} }), { method, headers, ...(body !== undefined && { body }), redirect: 'manual' });
  if (method === 'HEAD' || response.status !== 403) {
    await response.body?.cancel();
    return `${response.status}`;
  }
  return `403 ${ErrorResponse.parse(await response.json()).detail.code}`;
}

/** Valid ones where none can be made of the schema. */
const BODIES: Record<string, object> = { 'organizations.updateMember': { role: 'operator' } };

test('whoever acts for it by the header', async () => {
  const routes = all.filter((route) => isAccount(route) && !route.spec.personal);
  expect(routes.length).toBeGreaterThan(200);
  const answers: [string, string][] = [];
  for (const route of routes) answers.push([route.id, await asked(route, true)]);
  const refused = (answer: string, id: string) => answer === '403 sso_required' || (answer === '403' && locate(specOf(id)).method === 'HEAD');
  expect(answers.filter(([id, answer]) => !refused(answer, id))).toEqual([]);
});

test('whoever names it in the path', async () => {
  const mine = new Set(Object.values(world.records).filter((one) => one === slug));
  expect(mine.size).toBe(1);
  const routes = all.filter((route) => isAccount(route) && locate(route.spec).path.startsWith('/v1/me/organizations/{slug}'));
  const named = routes.filter(({ id }) => world.records[`${id}.slug`] === slug);
  expect(named.length).toBeGreaterThan(20);
  const answers: [string, string][] = [];
  for (const route of named) answers.push([route.id, await asked(route, false)]);
  // Owners and who links: to them it is said that they have to sign in afresh.
  // What a person linked is theirs to take back, whatever is required.
  const other: Record<string, string> = {
    'organizationSso.unlink': '404',
    'organizationSso.breakGlass': '403 fresh_sign_in_required',
    'organizationSso.link': '403 fresh_sign_in_required',
  };
  expect(answers.filter(([id, answer]) => answer !== (other[id] ?? '403 sso_required'))).toEqual([]);
});

function specOf(id: string) {
  const found = all.find((route) => route.id === id);
  if (!found) throw new Error(`no route ${id}`);
  return found.spec;
}
