// What holds for every client of SCIM: whose organization, in which form, under which conditions.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashSecret } from '#core/kernel/secret.ts';
import { createWorld, type World } from '../../api/world.ts';
import { cites } from '../../spec/verifies.ts';
import { addOrganization, addScimToken, scimCall, type ScimAnswer, type TestOrganization } from '../../support/scim.ts';

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';
const MEDIA = 'application/scim+json; charset=utf-8';
let world: World;
let acme: TestOrganization;
let other: TestOrganization;
let ada: string;
beforeAll(async () => {
  world = await createWorld();
  acme = await addOrganization(world.ctx.db, 'acme');
  other = await addOrganization(world.ctx.db, 'other');
  ada = await made('/Users', { userName: 'ada', title: 'Countess', emails: [{ value: 'ada@acme.example', type: 'work' }] });
});
afterAll(() => world.close());

const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}, of: TestOrganization = acme) =>
  scimCall(world.url, of, method, path, body, headers);
async function made(path: string, body: object): Promise<string> {
  const answer = await call('POST', path, body);
  expect(answer.status).toBe(201);
  return String(Object(answer.body).id);
}
function refused(answer: ScimAnswer, status: number, scimType?: string): void {
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, MEDIA]);
  expect(answer.body).toEqual({ schemas: [ERROR], status: String(status), detail: expect.any(String), ...(scimType && { scimType }) });
}
const patch = (value: unknown) => ({ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: value });

describe('a token opens its own organization alone', cites('scopes.credentials'), () => {
  const paths = ['/Users', '/Groups', '/Schemas', '/ResourceTypes', '/ServiceProviderConfig', '/nothing-here'];
  test.each(paths)('%s', async (path) => {
    const stranger = { ...acme, token: other.token };
    if (path !== '/nothing-here') refused(await call('GET', path, undefined, {}, stranger), 401);
    refused(await call('GET', path, undefined, {}, { ...acme, slug: 'no-such-organization' }), path === '/nothing-here' ? 404 : 401);
  });

  test('its resources do not exist for another', async () => {
    const group = await made('/Groups', { displayName: 'Team', members: [{ value: ada }] });
    for (const [method, path, body] of [['GET', `/Users/${ada}`], ['PUT', `/Users/${ada}`, { userName: 'x' }], ['PATCH', `/Users/${ada}`, patch([{ op: 'replace', path: 'title', value: 'x' }])], ['DELETE', `/Users/${ada}`], ['GET', `/Groups/${group}`], ['DELETE', `/Groups/${group}`]] as const)
      refused(await call(method, path, body, {}, other), 404);
    for (const filter of [`id eq "${ada}"`, 'userName eq "ada"', 'emails.value eq "ada@acme.example"', 'emails[type eq "work"]', 'not (nickName pr)', `groups.value eq "${group}"`, 'groups[display eq "Team"]'])
      expect((await call('GET', `/Users?filter=${encodeURIComponent(filter)}`, undefined, {}, other)).body).toMatchObject({ totalResults: 0 });
    expect((await call('GET', `/Groups?filter=${encodeURIComponent(`members eq "${ada}"`)}`, undefined, {}, other)).body).toMatchObject({ totalResults: 0 });
    refused(await call('POST', '/Groups', { displayName: 'Stolen', members: [{ value: ada }] }, {}, other), 400, 'invalidValue');
    expect((await call('GET', `/Users/${ada}`)).body).toMatchObject({ title: 'Countess', groups: [{ value: group }] });
    // The same names are free for another.
    expect((await call('POST', '/Users', { userName: 'ada', emails: [{ value: 'ada@acme.example' }] }, {}, other)).status).toBe(201);
  }); // prettier-ignore

  test('it opens nothing else, and is nothing once it is revoked or has expired', async () => {
    for (const path of ['/v1/me', '/v1/me/organizations', '/v1/agents/mine', '/v1/me/organizations/acme/members']) {
      const response = await fetch(world.url + path, { headers: { authorization: `Bearer ${acme.token}` } });
      expect([path, response.status]).toEqual([path, 403]);
    }
    for (const over of [{ revoked_at: new Date() }, { expires_at: new Date(Date.now() - 1_000) }]) {
      const token = await addScimToken(world.ctx.db, acme.organization_id);
      expect((await call('GET', '/Users', undefined, {}, { ...acme, token })).status).toBe(200);
      await world.ctx
        .db('scim_tokens')
        .where({ token_sha256: hashSecret(token) })
        .update(over);
      refused(await call('GET', '/Users', undefined, {}, { ...acme, token }), 401);
    }
    refused(await call('GET', '/Users', undefined, {}, { ...acme, token: world.tokens.ada }), 403);
  });
});

describe("every refusal has the protocol's form", () => {
  const huge = `a eq "${'x'.repeat(8_000)}"`;
  const deep = `${'('.repeat(1_900)}title pr${')'.repeat(1_900)}`;
  test.each<[string, [method: string, path: string, body?: unknown, headers?: Record<string, string>], number, string?]>([
    ['no route', ['GET', '/Nothing'], 404],
    ['no such schema', ['GET', '/Schemas/urn:x'], 404],
    ['a method that is not taken', ['DELETE', '/Schemas'], 405],
    ['a filter that cannot be read', ['GET', '/Users?filter=userName'], 400, 'invalidFilter'],
    ['a filter for what there is not', ['GET', '/Users?filter=shoe%20eq%20%22x%22'], 400, 'invalidFilter'],
    ['a filter that is too long', ['GET', `/Users?filter=${encodeURIComponent(huge)}`], 400, 'invalidValue'],
    ['a filter that is too deep', ['GET', `/Users?filter=${encodeURIComponent(deep)}`], 400, 'invalidFilter'],
    ['a filter with U+0000', ['GET', '/Users?filter=title%20eq%20%22%00%22'], 400, 'invalidValue'],
    ['nothing to sort by', ['GET', '/Users?sortBy=shoe'], 400, 'invalidPath'],
    ['a count that is no number', ['GET', '/Users?count=many'], 400, 'invalidValue'],
    ['no userName', ['POST', '/Users', { schemas: [] }], 400, 'invalidValue'],
    ['a body that is no object', ['POST', '/Users', []], 400, 'invalidValue'],
    ['a body that is no JSON', ['POST', '/Users', '{'], 400, 'invalidValue'],
    ['a body of another type', ['POST', '/Users', 'userName=x', { 'content-type': 'application/x-www-form-urlencoded' }], 415],
    ['a body that is too large', ['POST', '/Users', { userName: 'x', junk: 'x'.repeat(1_100_000) }], 413],
    ['a user that is there', ['POST', '/Users', { userName: 'ADA' }], 409, 'uniqueness'],
    ['an address that is there', ['POST', '/Users', { userName: 'new', emails: [{ value: 'ADA@acme.example' }] }], 409, 'uniqueness'],
    ['no user', ['GET', '/Users/scu_0'], 404],
    ['a member who is nobody', ['POST', '/Groups', { displayName: 'x', members: [{ value: 'scu_0' }] }], 400, 'invalidValue'],
    ['a group in a group', ['POST', '/Groups', { displayName: 'x', members: [{ value: 'scg_0', type: 'Group' }] }], 400, 'invalidValue'],
  ])('%s', async (_, [method, path, body, headers], status, scimType) => {
    refused(await call(method, path, body, headers), status, scimType);
  });

  test.each<[string, unknown, string]>([
    ['an unknown path', [{ op: 'add', path: 'shoe', value: 1 }], 'invalidPath'],
    ['a broken path', [{ op: 'add', path: 'emails[type eq "work".value', value: 'x' }], 'invalidPath'],
    ['a broken filter', [{ op: 'add', path: 'emails[type].value', value: 'x' }], 'invalidFilter'],
    ['what only the server writes', [{ op: 'replace', path: 'id', value: 'x' }], 'mutability'],
    ['what is required', [{ op: 'remove', path: 'userName' }], 'mutability'],
    ['no target', [{ op: 'remove' }], 'noTarget'],
    ['a value that does not exist', [{ op: 'replace', path: 'emails[type eq "fax"]', value: { value: 'x' } }], 'noTarget'],
    ['a wrong value', [{ op: 'replace', path: 'active', value: 'x' }], 'invalidValue'],
    ['no such op', [{ op: 'copy', path: 'title', value: 'x' }], 'invalidSyntax'],
    ['no operations', 'none', 'invalidSyntax'],
  ])('a PATCH with %s', async (_, operations, scimType) => {
    refused(await call('PATCH', `/Users/${ada}`, patch(operations)), 400, scimType);
    expect((await call('GET', `/Users/${ada}`)).body).toMatchObject({ title: 'Countess', emails: [{ type: 'work' }] });
  });

  test('of several operations all are done, or none', async () => {
    refused(
      await call(
        'PATCH',
        `/Users/${ada}`,
        patch([
          { op: 'replace', path: 'title', value: 'x' },
          { op: 'replace', path: 'id', value: 'x' },
        ]),
      ),
      400,
      'mutability',
    );
    expect((await call('GET', `/Users/${ada}`)).body).toMatchObject({ title: 'Countess' });
  });
});

test('versions: known ones are 304, changes of others are 412, what changes nothing is no new one', async () => {
  const id = await made('/Users', { userName: 'vera' });
  const path = `/Users/${id}`;
  const first = (await call('GET', path)).headers.get('etag') ?? '';
  expect(first).toBe('W/"1"');
  for (const known of [first, '"1"', `"7", ${first}`, '*']) expect((await call('GET', path, undefined, { 'if-none-match': known })).status).toBe(304);
  expect((await call('GET', path, undefined, { 'if-none-match': 'W/"2"' })).status).toBe(200);
  const title = (value: string) => patch([{ op: 'replace', path: 'title', value }]);
  expect((await call('PATCH', path, title('a'), { 'if-match': first })).body).toMatchObject({ meta: { version: 'W/"2"' } });
  expect((await call('PATCH', path, title('a'), { 'if-match': 'W/"2"' })).body).toMatchObject({ meta: { version: 'W/"2"' } });
  refused(await call('PATCH', path, title('b'), { 'if-match': first }), 412);
  refused(await call('PUT', path, { userName: 'vera' }, { 'if-match': first }), 412);
  refused(await call('DELETE', path, undefined, { 'if-match': first }), 412);
  const racing = await Promise.all(Array.from({ length: 5 }, (_, n) => call('PATCH', path, title(`r${n}`), { 'if-match': 'W/"2"' })));
  expect(racing.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412, 412]);
  expect((await call('DELETE', path, undefined, { 'if-match': '*' })).status).toBe(204);
});

test('addresses: what is made has one, and it leads back', async () => {
  const answer = await call('POST', '/Users?attributes=userName', { userName: 'loc' });
  const { id, meta } = Object(answer.body);
  expect([Object.keys(Object(answer.body)).toSorted(), meta]).toEqual([['id', 'schemas', 'userName'], undefined]);
  const location = answer.headers.get('location') ?? '';
  expect(location).toBe(`${world.ctx.config.baseUrl}/v1/scim/acme/v2/Users/${id}`);
  expect(await call('GET', new URL(location).pathname.replace('/v1/scim/acme/v2', ''))).toMatchObject({ status: 200, body: { id, meta: { location } } });
});

test('names and bodies in any case, JSON under either name', async () => {
  const body = { SCHEMAS: [], USERNAME: 'cased', Name: { GIVENNAME: 'C' }, EMAILS: [{ VALUE: 'c@x.example' }] };
  const answer = await call('POST', '/Users', body, { 'content-type': 'application/json; charset=utf-8' });
  expect(answer).toMatchObject({ status: 201, body: { userName: 'cased', name: { givenName: 'C' }, emails: [{ value: 'c@x.example' }] } });
  const found = await call('POST', '/Users/.search', {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
    filter: 'USERNAME eq "CASED"',
    attributes: ['userName'],
  });
  expect(found).toMatchObject({ status: 200, body: { totalResults: 1, Resources: [{ userName: 'cased' }] } });
});

test('a search of everything counts and pages over both types', async () => {
  await made('/Groups', { displayName: 'Everything' });
  const search = async (more: object) => Object((await call('POST', '/.search', more)).body) as { totalResults: number; Resources: { id: string }[] };
  const all = await search({ count: 200 });
  expect(all.Resources).toHaveLength(all.totalResults);
  const ids: string[] = [];
  for (let startIndex = 1; startIndex <= all.totalResults; startIndex += 2) ids.push(...(await search({ startIndex, count: 2 })).Resources.map(({ id }) => id));
  expect(ids).toEqual(all.Resources.map(({ id }) => id));
  expect(await search({ filter: 'displayName eq "everything"' })).toMatchObject({ totalResults: 1 });
  expect(await search({ filter: 'userName pr', count: 0 })).toMatchObject({ Resources: [] });
  refused(await call('POST', '/.search', { filter: 'shoe pr' }), 400, 'invalidFilter');
});

test('what is described can be read alone', cites('scim.resourceTypes', 'scim.serviceProviderConfig'), async () => {
  expect((await call('GET', '/ServiceProviderConfig')).body).toMatchObject({
    patch: { supported: true },
    bulk: { supported: true },
    filter: { supported: true },
    sort: { supported: true },
    etag: { supported: true },
    authenticationSchemes: [{ type: 'oauthbearertoken' }],
  });
  expect(Object((await call('GET', '/ResourceTypes')).body).Resources.map(({ id, endpoint }: Record<string, string>) => [id, endpoint])).toEqual([
    ['User', '/Users'],
    ['Group', '/Groups'],
  ]);
  for (const path of ['/Schemas', '/ResourceTypes']) {
    const { Resources } = Object((await call('GET', path)).body) as { Resources: { id: string }[] };
    for (const one of Resources) expect((await call('GET', `${path}/${one.id}`)).body).toEqual(one);
  }
});

test('a password is nowhere: not in an answer, not in the database, not in a log', async () => {
  const password = `secret-${crypto.randomUUID()}`;
  const id = await made('/Users', { userName: 'pat', password });
  await call(
    'PATCH',
    `/Users/${id}`,
    patch([
      { op: 'replace', path: 'password', value: password },
      { op: 'replace', value: { password } },
    ]),
  );
  await call('PUT', `/Users/${id}`, { userName: 'pat', password });
  expect(JSON.stringify((await call('GET', `/Users/${id}`)).body)).not.toContain(password);
  for (const table of ['scim_users', 'scim_user_values', 'audit_log']) {
    const { rows } = await world.ctx.db.raw<{ rows: unknown[] }>('select 1 from ?? t where strpos(t::text, ?) > 0', [table, password]);
    expect([table, rows]).toEqual([table, []]);
  }
  expect(world.logs.join('')).not.toContain(password);
  expect(world.logs.join('')).not.toContain(acme.token);
});
