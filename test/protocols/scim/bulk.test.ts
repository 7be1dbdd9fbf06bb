// Bulk requests (RFC 7644 §3.7): each operation as if it were sent alone.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ENTERPRISE } from '#core/orgs/scim/schema/user.ts';
import { createWorld, type World } from '../../api/world.ts';
import { cites } from '../../spec/verifies.ts';
import { addOrganization, scimCall, type ScimAnswer, type TestOrganization } from '../../support/scim.ts';

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';
const REQUEST = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';
const ANSWER = 'urn:ietf:params:scim:api:messages:2.0:BulkResponse';
type Operation = { method: string; path: string; bulkId?: string; version?: string; data?: unknown };
type Done = Omit<Operation, 'path' | 'data'> & { status: string; location?: string; response?: unknown };

let world: World;
let acme: TestOrganization;
let other: TestOrganization;
let n = 0;
beforeAll(async () => {
  world = await createWorld();
  other = await addOrganization(world.ctx.db, 'other');
});
beforeEach(async () => {
  acme = await addOrganization(world.ctx.db, `acme-${(n += 1)}`);
});
afterAll(() => world.close());

const call = (method: string, path: string, body?: unknown, of: TestOrganization = acme) => scimCall(world.url, of, method, path, body);
const send = (Operations: unknown, more: object = {}, of: TestOrganization = acme) => call('POST', '/Bulk', { schemas: [REQUEST], ...more, Operations }, of);
async function bulk(operations: Operation[], more: object = {}): Promise<Done[]> {
  const answer = await send(operations, more);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/scim+json; charset=utf-8']);
  const { schemas, Operations } = Object(answer.body) as { schemas: string[]; Operations: Done[] };
  expect(schemas).toEqual([ANSWER]);
  return Operations;
}
const statuses = (done: Done[]): string[] => done.map(({ status }) => status);
const refusal = (status: string, scimType?: string) => ({ schemas: [ERROR], status, detail: expect.any(String), ...(scimType && { scimType }) });
const user = (name: string, more: object = {}): Operation => ({ method: 'POST', path: '/Users', bulkId: name, data: { userName: name, ...more } });
const managed = (name: string, manager: string): Operation => user(name, { [ENTERPRISE]: { manager: { value: `bulkId:${manager}` } } });
const group = (name: string, ...members: string[]): Operation => ({
  method: 'POST', path: '/Groups', bulkId: name, data: { displayName: name, members: members.map((value) => ({ value })) },
}); // prettier-ignore
const idOf = ({ location = '' }: Done = { method: '', status: '' }): string => location.split('/').at(-1) ?? '';
const read = async (path: string) => Object((await call('GET', path)).body) as Record<string, unknown>;
const userNames = async () => (Object((await call('GET', '/Users')).body) as { Resources: { userName: string }[] }).Resources.map(({ userName }) => userName);
const audited = async () =>
  (await world.ctx.db('audit_log').where({ organization_id: acme.organization_id })).filter(({ action }) => /^scim_(user|group)\./.test(action)).length;

test('each method, with what its own route would answer', async () => {
  const [ada, bob, team] = await bulk([user('ada'), user('bob'), group('team', 'bulkId:ada')]);
  expect([ada, bob, team].map((one) => one?.status)).toEqual(['201', '201', '201']);
  expect(ada).toEqual({ method: 'POST', bulkId: 'ada', location: expect.stringMatching(/\/v2\/Users\/scu_/), version: 'W/"1"', status: '201' });
  const of = (kind: string, one?: Done): string => `/${kind}/${idOf(one)}`;
  const done = await bulk([
    { method: 'PUT', path: of('Users', ada), version: 'W/"1"', data: { userName: 'ada', title: 'Countess' } },
    { method: 'patch', path: of('Groups', team), data: { Operations: [{ op: 'add', path: 'members', value: [{ value: idOf(bob) }] }] } },
    { method: 'DELETE', path: of('Users', bob), bulkId: 'gone' },
    { method: 'PUT', path: of('Users', ada), version: 'W/"1"', data: { userName: 'ada' } },
  ]);
  expect(done).toEqual([
    { method: 'PUT', location: ada?.location, version: 'W/"2"', status: '200' },
    { method: 'PATCH', location: team?.location, version: 'W/"2"', status: '200' },
    { method: 'DELETE', bulkId: 'gone', location: bob?.location, status: '204' },
    { method: 'PUT', location: ada?.location, status: '412', response: refusal('412') },
  ]);
  expect(await read(of('Users', ada))).toMatchObject({ title: 'Countess', groups: [{ value: idOf(team) }] });
  expect(await read(of('Groups', team))).toMatchObject({ members: [{ value: idOf(ada) }] });
});

describe('references', () => {
  test('forwards, backwards, in a path and through a PATCH', async () => {
    const done = await bulk([
      group('team', 'bulkId:ada', 'bulkId:bob'),
      managed('ada', 'bob'),
      user('bob'),
      { method: 'PATCH', path: '/Groups/bulkId:rest', data: { Operations: [{ op: 'add', path: 'members', value: [{ value: 'bulkId:bob' }] }] } },
      group('rest'),
    ]);
    expect(statuses(done)).toEqual(['201', '201', '201', '200', '201']);
    const [team, ada, bob, patched, rest] = done.map(idOf);
    expect(patched).toBe(rest);
    expect(await read(`/Users/${ada}`)).toMatchObject({ [ENTERPRISE]: { manager: { value: bob } }, groups: [{ value: team }] });
    expect(await read(`/Groups/${rest}`)).toMatchObject({ members: [{ value: bob }] });
  });

  test('in a circle: each has the id of the other', async () => {
    const done = await bulk([managed('ada', 'bob'), managed('bob', 'ada'), managed('eve', 'eve')]);
    expect(statuses(done)).toEqual(['201', '201', '201']);
    const [ada, bob, eve] = done.map(idOf);
    for (const [one, manager] of [[ada, bob], [bob, ada], [eve, eve]]) expect(await read(`/Users/${one}`)).toMatchObject({ id: one, [ENTERPRISE]: { manager: { value: manager } } }); // prettier-ignore
    expect(await audited()).toBe(3);
  });

  test('a circle stands or falls as one, and what needs it falls with it', async () => {
    await bulk([user('bob')]);
    const rows = await audited();
    const done = await bulk([managed('ada', 'bob'), managed('bob', 'ada'), group('team', 'bulkId:ada'), user('eve')]);
    expect(done).toEqual([
      { method: 'POST', bulkId: 'ada', status: '409', response: refusal('409') },
      { method: 'POST', bulkId: 'bob', status: '409', response: refusal('409', 'uniqueness') },
      { method: 'POST', bulkId: 'team', status: '409', response: refusal('409') },
      expect.objectContaining({ bulkId: 'eve', status: '201' }),
    ]);
    expect(await userNames()).toEqual(['bob', 'eve']);
    expect(await audited()).toBe(rows + 1);
  });

  test('groups in each other are refused, as groups in groups are', async () => {
    const done = await bulk([group('a', 'bulkId:b'), group('b', 'bulkId:a')]);
    expect(statuses(done).toSorted()).toEqual(['400', '409']);
    expect(await read('/Groups')).toMatchObject({ totalResults: 0 });
  });

  test('to what no operation makes', async () => {
    const [made] = await bulk([group('team', 'bulkId:nothing')]);
    expect(made).toEqual({ method: 'POST', bulkId: 'team', status: '400', response: refusal('400', 'invalidValue') });
  });
});

describe('errors', () => {
  const broken: Operation[] = [user('one'), user('ONE'), user('two'), { method: 'DELETE', path: '/Users/scu_0' }, user('three')];

  test('each has its own, and the rest is done', async () => {
    const done = await bulk(broken);
    expect(statuses(done)).toEqual(['201', '409', '201', '404', '201']);
    expect(done[1]).toEqual({ method: 'POST', bulkId: 'ONE', status: '409', response: refusal('409', 'uniqueness') });
    expect(done[3]).toMatchObject({ location: expect.stringMatching(/\/Users\/scu_0$/), response: refusal('404') });
    expect(await userNames()).toEqual(['one', 'two', 'three']);
    expect(await audited()).toBe(3);
  });

  test.each([
    [1, ['201', '409']],
    [2, ['201', '409', '201', '404']],
    [3, ['201', '409', '201', '404', '201']],
  ])('failOnErrors %i ends it; what was done stays', async (failOnErrors, expected) => {
    expect(statuses(await bulk(broken, { failOnErrors }))).toEqual(expected);
    expect(await userNames()).toHaveLength(expected.filter((status) => status === '201').length);
  });

  test("another organization's resource does not exist, and nothing of it changes", cites('scopes.credentials'), async () => {
    const foreign = Object((await call('POST', '/Users', { userName: 'foreign' }, other)).body) as { id: string };
    const team = Object((await call('POST', '/Groups', { displayName: 'Foreign' }, other)).body) as { id: string };
    const rename = { Operations: [{ op: 'replace', path: 'displayName', value: 'Stolen' }] };
    const done = await bulk([
      { method: 'PUT', path: `/Users/${foreign.id}`, data: { userName: 'stolen' } },
      { method: 'PATCH', path: `/Users/${foreign.id}`, data: rename },
      { method: 'DELETE', path: `/Users/${foreign.id}` },
      { method: 'PATCH', path: `/Groups/${team.id}`, data: rename },
      { method: 'DELETE', path: `/Groups/${team.id}` },
      group('team', foreign.id),
      { method: 'DELETE', path: `/../../${other.slug}/v2/Users/${foreign.id}` },
    ]);
    expect(statuses(done)).toEqual(['404', '404', '404', '404', '404', '400', '404']);
    expect((await call('GET', '/Users', undefined, other)).body).toMatchObject({ totalResults: 1, Resources: [{ userName: 'foreign' }] });
    expect((await call('GET', `/Groups/${team.id}`, undefined, other)).body).toMatchObject({ displayName: 'Foreign' });
  });

  test.each<[string, Operation, string, string?]>([
    ['no such resource', { method: 'POST', path: '/Schemas', bulkId: 'x', data: {} }, '404'],
    ['a bulk request in it', { method: 'POST', path: '/Bulk', bulkId: 'x', data: {} }, '404'],
    ['more than an id', { method: 'DELETE', path: '/Users/x/y' }, '404'],
    ['a list that is replaced', { method: 'PUT', path: '/Users', data: {} }, '405'],
    ['a POST to one', { method: 'POST', path: '/Users/x', bulkId: 'x', data: {} }, '405'],
    ['no data', { method: 'POST', path: '/Users', bulkId: 'x' }, '400', 'invalidSyntax'],
    ['a wrong value', user('x', { active: 'perhaps' }), '400', 'invalidValue'],
  ])('%s', async (_, operation, status, scimType) => {
    const [done] = await bulk([operation]);
    expect(done).toMatchObject({ status, response: refusal(status, scimType) });
  });

  test.each<[string, unknown, object, number, string?]>([
    ['no operations', [], {}, 400, 'invalidSyntax'],
    ['operations that are no list', {}, {}, 400, 'invalidSyntax'],
    ['another method', [{ method: 'GET', path: '/Users' }], {}, 400, 'invalidSyntax'],
    ['no path', [{ method: 'DELETE' }], {}, 400, 'invalidSyntax'],
    ['a POST without a bulkId', [{ method: 'POST', path: '/Users', data: { userName: 'x' } }], {}, 400, 'invalidSyntax'],
    ['a bulkId twice', [user('x'), user('x')], {}, 400, 'invalidValue'],
    ['a U+0000 in it', [user('x\u0000')], {}, 400, 'invalidValue'],
    ['failOnErrors 0', [user('x')], { failOnErrors: 0 }, 400, 'invalidValue'],
  ])('of the whole: %s', async (_, operations, more, status, scimType) => {
    refused(await send(operations, more), status, scimType);
    expect(await userNames()).toEqual([]);
  });
});

function refused(answer: ScimAnswer, status: number, scimType?: string): void {
  expect([answer.status, answer.body]).toEqual([status, refusal(String(status), scimType)]);
}

test('as much as is announced, and no more', async () => {
  const { bulk: announced } = (await read('/ServiceProviderConfig')) as { bulk: { supported: boolean; maxOperations: number; maxPayloadSize: number } };
  expect(announced.supported).toBe(true);
  const removals = (count: number) => Array.from({ length: count }, () => ({ method: 'DELETE', path: '/Users/scu_0' }));
  expect(statuses(await bulk(removals(announced.maxOperations), { failOnErrors: 1 }))).toEqual(['404']);
  const many = await send(removals(announced.maxOperations + 1));
  refused(many, 413);
  expect(Object(many.body)).toMatchObject({ detail: expect.stringContaining('maxOperations') });
  const body = JSON.stringify({ Operations: [user('big')] });
  refused(await call('POST', '/Bulk', body + ' '.repeat(announced.maxPayloadSize + 1 - body.length)), 413);
  expect((await call('POST', '/Bulk', body + ' '.repeat(announced.maxPayloadSize - body.length))).status).toBe(200);
  expect(await userNames()).toEqual(['big']);
});
