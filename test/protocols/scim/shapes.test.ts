// The shapes in which directories send the same thing. The samples are those of the documentation of Entra
// and Okta, and of reports on their clients.
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWorld, type World } from '../../api/world.ts';
import { cites } from '../../spec/verifies.ts';
import { addOrganization, scimCall, type ScimAnswer, type TestOrganization } from '../../support/scim.ts';

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const CUSTOM = 'urn:ietf:params:scim:schemas:extension:CustomExtensionName:2.0:User';
const OKTA = 'urn:okta:acme_app:1.0:user:custom';
let world: World;
let acme: TestOrganization;
let count = 0;
beforeAll(async () => {
  world = await createWorld();
  acme = await addOrganization(world.ctx.db, 'shapes');
});
afterAll(() => world.close());

type Answer = ScimAnswer & { body: Record<string, unknown> };
const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
  const answer = await scimCall(world.url, acme, method, path, body);
  return { ...answer, body: { ...Object(answer.body) } };
};
/** A user; the address of their resource. */
async function user(more: object = {}): Promise<string> {
  const answer = await call('POST', '/Users', { schemas: [CORE], userName: `u${count++}`, ...more });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return `/Users/${String(answer.body['id'])}`;
}
async function patched(at: string, ...Operations: object[]): Promise<Answer> {
  const answer = await call('PATCH', at, { schemas: [PATCH], Operations });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect((await call('GET', at)).body).toEqual(answer.body);
  return answer;
}
const managerOf = (of: Answer): unknown => Object(of.body[ENTERPRISE]).manager;

describe('active, off', cites('scim.patchUser', 'scim.createUser', 'scim.replaceUser'), () => {
  const shapes = [false, 'False', 'false', 'FALSE', 0, '0', [false], [{ value: 'False' }], { value: false }, { primary: true, value: 'False' }];
  test.each(shapes.map((shape) => [JSON.stringify(shape), shape] as const))('%s', async (_, value) => {
    const active = async (...operations: object[]): Promise<unknown> => (await patched(await user(), ...operations)).body['active'];
    expect(await active({ op: 'Replace', path: 'active', value })).toBe(false);
    expect(await active({ op: 'Add', path: 'ACTIVE', value })).toBe(false);
    expect(await active({ op: 'replace', value: { active: value } })).toBe(false);
    expect(await active({ op: 'Replace', path: `${CORE}:active`, value })).toBe(false);
    expect(await active({ op: 'Replace', path: CORE, value: { active: value } })).toBe(false);
    const at = await user({ active: value });
    expect((await call('GET', at)).body['active']).toBe(false);
    expect(await patched(at, { op: 'Replace', path: 'active', value: 'True' })).toMatchObject({ body: { active: true } });
    expect((await call('PUT', at, { userName: `u${count++}`, active: value })).body['active']).toBe(false);
  });

  test('what says neither changes nothing', async () => {
    const at = await user();
    for (const value of ['maybe', 2, { value: { value: false } }, 'off'])
      expect(await call('PATCH', at, { Operations: [{ op: 'replace', path: 'active', value }] })).toMatchObject({
        status: 400,
        body: { scimType: 'invalidValue' },
      });
    expect((await call('GET', at)).body['active']).toBe(true);
  });
});

describe('manager', () => {
  const shapes = ['2819', 2819, { value: '2819' }, { $ref: '../Users/2819', value: '2819', displayName: 'Grace' }, [{ $ref: '../Users/2819', value: '2819' }]];
  test.each(shapes.map((shape) => [JSON.stringify(shape), shape] as const))('%s', async (_, value) => {
    const expected = { value: '2819' };
    for (const path of [`${ENTERPRISE}:manager`, 'manager', `${ENTERPRISE.toLowerCase()}:Manager`])
      expect(managerOf(await patched(await user(), { op: 'Add', path, value })), path).toEqual(expected);
    expect(managerOf(await patched(await user(), { op: 'add', value: { [`${ENTERPRISE}:manager`]: value } }))).toEqual(expected);
    expect(managerOf(await patched(await user(), { op: 'add', value: { [ENTERPRISE]: { manager: value } } }))).toEqual(expected);
    const at = await user({ [ENTERPRISE]: { manager: value } });
    expect(managerOf(await call('GET', at))).toEqual(expected);
    expect(managerOf(await patched(at, { op: 'Remove', path: `${ENTERPRISE}:manager` }))).toBeUndefined();
    expect(managerOf(await call('GET', await user({ manager: value })))).toEqual(expected);
  });

  test('its part by a path, and none', async () => {
    const at = await user();
    expect(managerOf(await patched(at, { op: 'Replace', path: `${ENTERPRISE}:manager.value`, value: '1' }))).toEqual({ value: '1' });
    expect(managerOf(await patched(at, { op: 'Replace', path: `${ENTERPRISE}:manager`, value: '' }))).toBeUndefined();
  });
});

describe('roles', () => {
  const complex = JSON.stringify({ id: '06b07648-ecfe-589f-9d2f-6325724a46ee', value: '25', displayName: 'Role1234' });
  test.each<[string, object, unknown]>([
    ['of one assignment, by a filter', { op: 'Add', path: 'roles[primary eq "True"].value', value: 'Admin' }, [{ primary: true, value: 'Admin' }]],
    ['of one assignment, its name', { op: 'Replace', path: 'roles[primary eq "True"].display', value: 'Admins' }, [{ primary: true, display: 'Admins' }]],
    ['of several, as JSON in texts', { op: 'Add', path: 'roles', value: [{ value: complex }] }, [{ value: complex }]],
    ['texts', { op: 'Add', path: 'roles', value: ['User', 'Reviewer'] }, [{ value: 'User' }, { value: 'Reviewer' }]],
    ['one text', { op: 'Replace', path: 'roles', value: 'User' }, [{ value: 'User' }]],
    ['one object, and a number', { op: 'Replace', value: { roles: { primary: 'True', value: 25 } } }, [{ primary: true, value: '25' }]],
    ['with all their parts', { op: 'Add', path: 'roles', value: [{ primary: false, type: 'WindowsAzureActiveDirectoryRole', display: 'Admin', value: 'Admin' }] }, [{ primary: false, type: 'WindowsAzureActiveDirectoryRole', display: 'Admin', value: 'Admin' }]],
  ])('%s', async (_, operation, roles) => {
    const at = await user();
    expect((await patched(at, operation)).body['roles']).toEqual(roles);
    // What a directory calls a role gives none here.
    const { rows } = await world.ctx.db.raw<{ rows: unknown[] }>("select 1 from organization_members where organization_id = ? and role <> 'owner'", [acme.organization_id]);
    expect(rows).toEqual([]);
    expect((await patched(at, { op: 'Remove', path: 'roles' })).body).not.toHaveProperty('roles');
  }); // prettier-ignore

  test('are found by a filter, and entitlements are kept as well', async () => {
    await user({ roles: [{ value: 'Auditors-17', primary: true }], entitlements: [{ value: 'E5', display: 'Licence' }] });
    const found = await call('GET', `/Users?filter=${encodeURIComponent('roles[primary eq "True"].value eq "auditors-17" and entitlements.value eq "E5"')}`);
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ entitlements: [{ value: 'E5', display: 'Licence' }] }] });
  });
});

test('addresses of mail: a part by a filter, under either name of the operation, in a list or not', async () => {
  for (const op of ['add', 'Add', 'replace', 'Replace', 'REPLACE'])
    for (const value of ['w@acme.example', ['w@acme.example'], { value: 'w@acme.example' }, [{ value: 'w@acme.example', primary: true }]]) {
      const at = await user({ emails: [{ type: 'home', value: `h${count}@acme.example` }] });
      const { body } = await patched(at, { op, path: 'emails[type eq "work"].value', value });
      expect(body['emails']).toContainEqual({ type: 'work', value: 'w@acme.example' });
      expect(await call('DELETE', at)).toMatchObject({ status: 204 });
    }
});

test('numbers where text is kept', async () => {
  const name = 7_000 + count++;
  const at = await user({ userName: name, externalId: 701_984, title: 7, phoneNumbers: [{ type: 'work', value: 431_234 }], [ENTERPRISE]: { employeeNumber: 4_711, costCenter: 0 } });
  const kept = { userName: `${name}`, externalId: '701984', title: '7', phoneNumbers: [{ type: 'work', value: '431234' }], [ENTERPRISE]: { employeeNumber: '4711', costCenter: '0' } };
  expect((await call('GET', at)).body).toMatchObject(kept);
  expect((await patched(at, { op: 'Replace', path: `${ENTERPRISE}:employeeNumber`, value: 4_712 }, { op: 'Add', path: 'addresses[type eq "work"].postalCode', value: 1_010 })).body).toMatchObject({ addresses: [{ type: 'work', postalCode: '1010' }], [ENTERPRISE]: { employeeNumber: '4712' } });
  for (const filter of [`${ENTERPRISE}:employeeNumber eq 4712`, 'externalId eq 701984', `${ENTERPRISE}:employeeNumber eq "4712"`])
    expect((await call('GET', `/Users?filter=${encodeURIComponent(filter)}`)).body, filter).toMatchObject({ totalResults: 1 });
}); // prettier-ignore

describe("extensions of the organization's own", () => {
  test('are kept and answered, changed by every kind of path, and gone with a PUT that leaves them out', async () => {
    const sent = { badge: 'B-7', floors: [1, 2], office: { city: 'Wien' }, none: null };
    const at = await user({ schemas: [CORE, CUSTOM, OKTA], [CUSTOM]: sent, [OKTA]: { shirt: 'M' } });
    const first = (await call('GET', at)).body;
    expect(first[CUSTOM]).toEqual({ badge: 'B-7', floors: [1, 2], office: { city: 'Wien' } });
    // PostgreSQL keeps members of jsonb in an order of its own.
    const schemas = expect.toSatisfy((some: string[]) => some.toSorted().join() === [CORE, CUSTOM, OKTA].toSorted().join());
    expect(first['schemas']).toEqual(schemas);
    const steps: [object, unknown][] = [
      [
        { op: 'Replace', path: `${CUSTOM}:badge`, value: 'B-8' },
        { badge: 'B-8', floors: [1, 2], office: { city: 'Wien' } },
      ],
      [
        { op: 'Add', path: `${CUSTOM.toLowerCase()}:FLOORS`, value: [2, 3] },
        { badge: 'B-8', floors: [1, 2, 3], office: { city: 'Wien' } },
      ],
      [
        { op: 'Remove', path: `${CUSTOM}:floors`, value: [1, 2] },
        { badge: 'B-8', floors: [3], office: { city: 'Wien' } },
      ],
      [
        { op: 'Remove', path: `${CUSTOM}:office` },
        { badge: 'B-8', floors: [3] },
      ],
      [
        { op: 'add', value: { [`${CUSTOM}:desk`]: 4, [CUSTOM]: { badge: 'B-9' } } },
        { badge: 'B-9', floors: [3], desk: 4 },
      ],
      [
        { op: 'replace', path: CUSTOM, value: { desk: 5 } },
        { badge: 'B-9', floors: [3], desk: 5 },
      ],
    ];
    for (const [operation, expected] of steps) expect((await patched(at, operation)).body[CUSTOM], JSON.stringify(operation)).toEqual(expected);
    const only = async (query: string): Promise<unknown> => (await call('GET', `${at}?${query}`)).body;
    expect(await only(`attributes=${CUSTOM}:desk`)).toEqual({ schemas, id: first['id'], [CUSTOM]: { desk: 5 } });
    expect(await only(`attributes=userName,${OKTA}`)).toMatchObject({ [OKTA]: { shirt: 'M' } });
    expect(await only(`excludedAttributes=${OKTA},${CUSTOM}:badge`)).not.toHaveProperty([OKTA]);
    expect((await patched(at, { op: 'replace', path: `${OKTA}:shirt`, value: 'L' })).body).toMatchObject({ [OKTA]: { shirt: 'L' } });
    expect((await patched(at, { op: 'Remove', path: OKTA })).body).not.toHaveProperty([OKTA]);
    expect((await call('PUT', at, { userName: `u${count++}` })).body).toMatchObject({ schemas: [CORE] });
  });

  test('are bounded, and no way around: not to what the server writes, not to a prototype, not into a filter', async () => {
    const at = await user({ [CUSTOM]: { note: 'x'.repeat(10_000) } });
    const more = { Operations: [{ op: 'add', path: `${CUSTOM}:more`, value: 'x'.repeat(10_000) }] };
    expect(await call('PATCH', at, more)).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
    const before = (await call('GET', at)).body;
    const polluting = `{"Operations": [{"op": "add", "value": {"${CUSTOM}": {"__proto__": {"polluted": true}}}}]}`;
    expect((await scimCall(world.url, acme, 'PATCH', at, polluting)).status).toBe(400);
    const protocols = { [PATCH]: { a: 1 }, [CORE]: { active: false }, 'urn:x': { a: 1 }, id: 'scu_other' };
    const hostile = { ...protocols, [CUSTOM]: { ok: 1, 'no name': 1, constructor: null } };
    const { body } = await patched(at, { op: 'add', value: hostile });
    expect(body).toEqual({ ...before, [CUSTOM]: { note: 'x'.repeat(10_000), ok: 1 }, meta: expect.anything() });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(await call('GET', `/Users?filter=${encodeURIComponent(`${CUSTOM}:ok eq "1"`)}`)).toMatchObject({ status: 400, body: { scimType: 'invalidFilter' } });
  }); // prettier-ignore
});

describe('an attribute that there is not', () => {
  test('costs the others nothing', async () => {
    const at = await user({ shoe: 44, ims: [{ value: 'x', type: 'aim' }], [ENTERPRISE]: { shoe: 44, department: 'Engines' } });
    expect((await call('GET', at)).body).toMatchObject({ [ENTERPRISE]: { department: 'Engines' } });
    const unknown = [
      'shoe',
      'name.shoe',
      'shoes[type eq "work"].value',
      'emails[type eq "work"].shoe',
      `${ENTERPRISE}:shoe`,
      `${CORE}:shoe`,
      'extension_0a1b_shoe',
    ];
    const { body } = await patched(at, ...unknown.map((path) => ({ op: 'Add', path, value: '44' })), { op: 'Replace', path: 'title', value: 'Countess' });
    expect(body).toMatchObject({ title: 'Countess', [ENTERPRISE]: { department: 'Engines' } });
    expect(JSON.stringify(body)).not.toMatch(/shoe|"44"|:44\b/);
  });

  test('is refused where there is nothing else, so that whoever maps it learns it', async () => {
    const at = await user();
    const body = { Operations: [{ op: 'Add', path: 'shoe', value: '44' }, { op: 'Remove', path: 'hat' }] }; // prettier-ignore
    expect(await call('PATCH', at, body)).toMatchObject({ status: 400, body: { scimType: 'invalidPath', detail: expect.stringContaining('"shoe"') } });
  });

  test('of a group', async () => {
    const group = await call('POST', '/Groups', { displayName: `g${count++}`, [CUSTOM]: { a: 1 } });
    const Operations = [{ op: 'Replace', path: 'description', value: 'x' }, { op: 'Replace', path: 'externalId', value: 17 }]; // prettier-ignore
    expect(await call('PATCH', `/Groups/${String(group.body['id'])}`, { Operations })).toMatchObject({ status: 200, body: { externalId: '17' } });
  });
});

describe('what is refused before it is a request', () => {
  const address = (): string => `/v1/scim/${acme.slug}/v2/Users`;
  async function answered(...pieces: string[]): Promise<{ status: string; type: string | undefined; body: unknown }> {
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1').setNoDelay();
    await once(socket, 'connect');
    const answer = text(socket);
    for (const piece of pieces) await new Promise<void>((resolve) => socket.write(piece, () => resolve()));
    const [head = '', body = ''] = (await answer).split('\r\n\r\n');
    return { status: head.split(' ')[1] ?? '', type: /^content-type: (.*)$/im.exec(head)?.[1], body: JSON.parse(body) };
  }
  const inItsForm = (status: string): unknown => ({
    status,
    type: 'application/scim+json; charset=utf-8',
    body: { schemas: [ERROR], status, detail: expect.any(String) },
  });

  test('a filter that is longer than a request line may be, or headers, in one piece and in many', async () => {
    const long = `GET ${address()}?filter=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const headers = `GET ${address()} HTTP/1.1\r\nHost: localhost\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`;
    for (const whole of [long, headers, long.replace('x'.repeat(20_000), 'x'.repeat(60_000))]) expect(await answered(whole)).toEqual(inItsForm('431'));
    for (const whole of [long, headers]) expect(await answered(...(whole.match(/[^]{1,1000}/g) ?? []))).toEqual(inItsForm('431'));
    const elsewhere = await answered(headers.replace(address(), '/v1/agents'));
    expect(elsewhere).toMatchObject({ status: '431', type: 'application/json; charset=utf-8', body: { detail: { code: 'headers_too_large' } } });
  });

  test('a request that is none, and a body that is none', async () => {
    expect(await answered(`GET ${address()} HTTP/1.1\r\nHost: localhost\r\nno header\r\n\r\n`)).toEqual(inItsForm('400'));
    const chunked = `POST ${address()} HTTP/1.1\r\nHost: localhost\r\nauthorization: Bearer ${acme.token}\r\ncontent-type: application/scim+json\r\ntransfer-encoding: chunked\r\n\r\n`;
    expect(await answered(chunked, 'zz\r\nhello')).toEqual(inItsForm('400'));
    expect(await answered(chunked, `5;${'x'.repeat(20_000)}\r\nhello`)).toEqual(inItsForm('413'));
  });
});
