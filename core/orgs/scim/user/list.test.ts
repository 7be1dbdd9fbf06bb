// Filters, orders and pages of users on a real database, checked against what a filter plainly means.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScimListing, ScimListing as Listing } from '#contract/orgs/scim.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { BadRequest } from '../../../kernel/errors.ts';
import { type Filter, parseFilter } from '../filter/parse.ts';
import { createScimGroup } from '../group/write.ts';
import { ENTERPRISE } from '../schema/user.ts';
import { identityProvider, person, type ScimCtx } from '../test/people.ts';
import { filterText } from '../test/filter-text.ts';
import { holds } from '../test/plain-filter.ts';
import { listScimUsers } from './read.ts';
import { createScimUser } from './write.ts';

let t: TestContext;
let acme: ScimCtx;
let all: Record<string, unknown>[];
const list = (i: Partial<ScimListing>) => listScimUsers(acme, { ...Listing.parse({}), ...i });
beforeAll(async () => {
  t = await testContext();
  acme = await identityProvider(t.ctx, 'acme');
  const other = await identityProvider(t.ctx, 'other');
  for (let n = 0; n < 30; n++) {
    await createScimUser(acme, { body: person(n) });
    await createScimUser(other, { body: person(n) });
  }
  const some = await list({ count: 3 });
  await createScimGroup(acme, { body: { displayName: 'Team', members: some.Resources.map(({ id }) => ({ value: id })) } });
  all = (await list({})).Resources;
});
afterAll(() => t.close());

async function names(filter: string): Promise<unknown[]> {
  return (await list({ filter })).Resources.map(({ userName }) => userName);
}

describe('a filter finds what it plainly means', () => {
  test.each([
    'userName eq "USER-3@acme.EXAMPLE"', 'externalId eq "Ext-4"', 'externalId eq "ext-4"', 'id pr', 'title pr', 'not (title pr)', 'title eq "ENGINEER"', 'title ne "engineer"',
    'name.familyName sw "family1"', 'name.givenName co "%_s"', 'name.givenName ew "k\\\\slash"', 'name.givenName eq "ÉMILIE"', 'name pr', 'emails pr', 'emails co "@home"',
    'emails.value ew "HOME.example"', 'emails.type ne "work"', 'emails[type eq "home"]', 'emails[type eq "home" and value sw "u1"]', 'emails[type eq "work"].value eq "user-5@acme.example"',
    'emails[not (type eq "work")]', 'emails[type eq "work" and value co "@home"]', 'emails[primary eq true]', 'emails[primary eq "True" or type eq "home"]', 'emails.primary eq true',
    'active eq false', 'active eq "True"', 'active ne true', 'externalId gt "Ext-2" and externalId le "Ext-27"', `${ENTERPRISE}:department eq "dept 5"`,
    `${ENTERPRISE}:manager.value eq "User-4"`, `${ENTERPRISE}:manager.value eq "user-4"`, `${ENTERPRISE}:manager pr`, 'profileUrl sw "https://people.example/P"', 'profileUrl sw "https://people.example/p"',
    'groups.display eq "team"', 'groups[display eq "Team"]', 'not (groups pr)', 'nickName pr', 'nickName eq null', 'title ne null', 'meta.lastModified pr',
    'USERNAME eq "user-1@acme.example" or urn:ietf:params:scim:schemas:core:2.0:User:userName eq "user-2@acme.example"',
  ])('%s', async (filter) => {
    const expected = all.filter((one) => holds(canonical(parseFilter(filter)), one)).map(({ userName }) => userName);
    expect(await names(filter)).toEqual(expected);
  }); // prettier-ignore

  test('whatever is asked', async () => {
    const path = fc.constantFrom(
      'userName',
      'externalId',
      'title',
      'name.givenName',
      'name.familyName',
      'emails.value',
      'emails.type',
      `${ENTERPRISE}:department`,
    );
    const value = fc.constantFrom('Ada', 'ada', 'engineer', 'work', 'home', 'user-1', 'Ext-1', 'family', 'Dept 5', '@', '%', '_', '\\', '', 'é');
    const operator = fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le');
    const compare = fc.record({ op: fc.constant('compare' as const), operator, path, value });
    const inner = fc.record({ op: fc.constant('compare' as const), operator, path: fc.constantFrom('value', 'type'), value });
    const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
      filter: fc.oneof(
        { maxDepth: 3 },
        compare,
        fc.record({ op: fc.constant('pr' as const), path }),
        fc.record({ op: fc.constant('not' as const), filter: tie('filter') }),
        fc.record({ op: fc.constantFrom('and', 'or'), filters: fc.array(tie('filter'), { minLength: 2, maxLength: 3 }) }),
        fc.record({ op: fc.constant('some' as const), path: fc.constant('emails'), filter: fc.oneof(inner, fc.record({ op: fc.constantFrom('and', 'or'), filters: fc.array(inner, { minLength: 2, maxLength: 2 }) })) }),
      ),
    })); // prettier-ignore
    await fc.assert(
      fc.asyncProperty(filter, async (written) => {
        const expected = all.filter((one) => holds(written, one)).map(({ userName }) => userName);
        expect(await names(filterText(written))).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  test('times are compared as times', async () => {
    const [first] = all;
    const { created } = Object(first?.['meta']);
    expect(await names(`meta.created eq "${created}"`)).toContain(first?.['userName']);
    expect(await names('meta.lastModified gt "2020-01-01T00:00:00+02:00"')).toHaveLength(30);
    expect(await names('meta.lastModified lt "2020-01-01T00:00:00Z"')).toEqual([]);
  });
});

describe('a filter is refused', () => {
  test.each([
    'nothing eq "x"', 'name.nothing eq "x"', 'password eq "x"', 'emails[nothing eq "x"]', 'emails.value.x eq "y"', 'title[type eq "x"]', 'active eq "maybe"', 'active gt true',
    'userName eq true', 'name eq "x"', 'userName gt null', 'meta.created co "2020"', 'meta.created eq "yesterday"', 'schemas eq "x"', 'emails[emails[type eq "x"]]', 'meta eq "x"',
    "userName eq \"x\"; drop table scim_users; --", "userName' eq \"x\"",
  ])('%s', async (filter) => {
    await expect(list({ filter })).rejects.toMatchObject({ code: 'scim_filter_invalid' });
    await expect(list({ filter })).rejects.toBeInstanceOf(BadRequest);
  }); // prettier-ignore

  test('a value is never SQL', async () => {
    for (const text of [`'; drop table scim_users; --`, `\\'`, '?', '??', ':x', '$1', '%', '_', '{}'])
      for (const operator of ['eq', 'co', 'sw', 'ew', 'gt'])
        await expect(list({ filter: `title ${operator} ${JSON.stringify(text)} or emails[value ${operator} ${JSON.stringify(text)}]` })).resolves.toBeDefined();
    expect((await list({})).totalResults).toBe(30);
  });
});

test('pages: from 1, none with count 0, never more than are allowed', async () => {
  const ids = (answer: { Resources: Record<string, unknown>[] }): unknown[] => answer.Resources.map(({ id }) => id);
  expect(await list({ startIndex: -7, count: 2 })).toMatchObject({ totalResults: 30, startIndex: 1, itemsPerPage: 2 });
  expect(await list({ count: 0 })).toMatchObject({ totalResults: 30, startIndex: 1, itemsPerPage: 0, Resources: [] });
  expect(await list({ count: -1 })).toMatchObject({ totalResults: 30, itemsPerPage: 0 });
  expect(await list({ startIndex: 31 })).toMatchObject({ totalResults: 30, itemsPerPage: 0, startIndex: 31 });
  const pages = await Promise.all([1, 11, 21].map((startIndex) => list({ startIndex, count: 10 })));
  expect(pages.flatMap(ids)).toEqual(all.map(({ id }) => id));
  expect((await list({ filter: 'title pr', startIndex: 3, count: 5 })).totalResults).toBe(15);
});

test('orders', async () => {
  const by = async (sortBy: string, sortOrder?: 'descending') => (await list({ sortBy, ...(sortOrder && { sortOrder }) })).Resources;
  const titles = (await by('title')).map(({ title }) => title ?? null);
  expect(titles.slice(0, 15).every((one) => typeof one === 'string') && titles.slice(15).every((one) => one === null)).toBe(true);
  const found = (await by('externalId', 'descending')).map(({ externalId }) => externalId);
  expect(found).toEqual(all.map(({ externalId }) => externalId).toSorted().toReversed()); // prettier-ignore
  const addresses = (await by('emails.value')).map(({ emails }) => String(Object([emails].flat().map((one) => Object(one).value).toSorted())[0])); // prettier-ignore
  expect(addresses).toEqual(addresses.toSorted());
  await expect(by('nothing')).rejects.toMatchObject({ code: 'scim_path_invalid' });
});

test('attributes that are asked for, or not wanted', async () => {
  const one = async (i: Partial<ScimListing>) => (await list({ filter: 'externalId eq "Ext-10"', ...i })).Resources[0];
  const { id } = all[10] ?? {};
  const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User', ENTERPRISE];
  expect(await one({ attributes: 'USERNAME,emails.value, name.givenName' })).toEqual({
    schemas, id, userName: 'User-10@Acme.example', name: { givenName: 'Hedy' }, emails: [{ value: 'user-10@acme.example' }, { value: 'u10@home.example' }],
  }); // prettier-ignore
  expect(await one({ attributes: `${ENTERPRISE}:department` })).toEqual({ schemas, id, [ENTERPRISE]: { department: 'Dept 0' } });
  const { emails: _e, name: _n, meta: _m, ...rest } = Object((await one({})) ?? {});
  expect(await one({ excludedAttributes: 'emails,name,meta,id,schemas' })).toEqual(rest);
  expect(await one({ excludedAttributes: `${ENTERPRISE}:manager` })).toMatchObject({ [ENTERPRISE]: { department: 'Dept 0' } });
});

/** Paths as the resources have them: the plain filter knows no other case. */
function canonical(filter: Filter): Filter {
  return JSON.parse(JSON.stringify(filter).replaceAll('"USERNAME"', '"userName"').replaceAll('urn:ietf:params:scim:schemas:core:2.0:User:', '').replaceAll('"active","value":"True"', '"active","value":true').replaceAll('"primary","value":"True"', '"primary","value":true')) as Filter; // prettier-ignore
}
