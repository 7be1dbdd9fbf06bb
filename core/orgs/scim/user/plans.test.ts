// What PostgreSQL does for a filter over ten thousand users: it finds those that are meant by an index, and
// reads no others.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ScimListing } from '#contract/orgs/scim.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { identityProvider, type ScimCtx } from '../test/people.ts';
import { listScimUsers } from './read.ts';

const USERS = 10_000;
let t: TestContext;
let acme: ScimCtx;
beforeAll(async () => {
  t = await testContext();
  acme = await identityProvider(t.ctx, 'acme');
  const { organization_id } = acme.actor;
  await t.ctx.db.raw(
    `insert into scim_users (scim_id, organization_id, user_name_folded, external_id, email, active, document, version, created_at, updated_at)
     select 'scu_' || n, ?, 'user-' || n || '@acme.example', 'Ext-' || n, 'user-' || n || '@acme.example', true, '{}', 1, now(), now() from generate_series(1, ?::int) n`,
    [organization_id, USERS],
  );
  await t.ctx.db.raw(
    `insert into scim_user_values (scim_id, attribute, element, organization_id, value)
     select 'scu_' || n, a, 0, ?, case a when 'emails.type' then 'work' when 'emails' then '' else 'user-' || n || '@acme.example' end
     from generate_series(1, ?::int) n, unnest(array['emails', 'emails.type', 'emails.value', 'title']) a`,
    [organization_id, USERS],
  );
  await t.ctx.db.raw('analyze scim_users, scim_user_values');
});
afterAll(() => t.close());

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Actual Loops': number;
  Plans?: Plan[];
}
/** Rows of tables that were looked at, those that were not meant among them. */
function looked(plan: Plan): number {
  const own =
    plan['Relation Name'] === undefined ? 0 : plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  return own * plan['Actual Loops'] + (plan.Plans ?? []).reduce((sum, one) => sum + looked(one), 0);
}

async function looksAt(filter: string): Promise<{ found: number; rows: number }> {
  const asked: { sql: string; bindings: string[] }[] = [];
  const note = (query: { sql: string; bindings: string[] }): void => void asked.push(query);
  t.ctx.db.on('query', note);
  const { totalResults } = await listScimUsers(acme, { ...ScimListing.parse({}), filter });
  t.ctx.db.off('query', note);
  const [search] = asked.filter(({ sql }) => sql.includes('with found as'));
  const bound = (search?.sql ?? '').replaceAll(/\$\d+/g, '?');
  const { rows } = await t.ctx.db.raw<{ rows: { 'QUERY PLAN': { Plan: Plan }[] }[] }>(`explain (analyze, format json) ${bound}`, search?.bindings ?? []);
  const [whole] = rows[0]?.['QUERY PLAN'] ?? [];
  if (!whole) throw new Error('PostgreSQL shows no plan');
  return { found: totalResults, rows: looked(whole.Plan) };
}

test.each([
  'id eq "scu_77"',
  'userName eq "USER-77@acme.example"',
  'userName sw "user-7777"',
  'userName co "er-777@"',
  'userName ew "-777@acme.example"',
  'externalId eq "Ext-77"',
  'externalId sw "Ext-9998"',
  'externalId lt "Ext-100"',
  'externalId ge "Ext-9998"',
  'emails co "user-77@"',
  'emails co "R-7777@ACME"',
  'emails.value ew "-777@acme.example"',
  'emails[type eq "work" and value co "user-77@"]',
  'emails.value eq "user-77@acme.example"',
  'title co "user-77@"',
  'externalId eq "Ext-77" or emails co "user-77@"',
  'title eq "nobody" or userName eq "user-77@acme.example"',
  '(userName eq "user-77@acme.example" or emails.value eq "user-78@acme.example") and active eq true',
  'externalId eq "Ext-1" or externalId eq "Ext-2" or (id eq "scu_3" and title pr)',
])('%s', async (filter) => {
  const { found, rows } = await looksAt(filter);
  expect(found).toBeGreaterThan(0);
  expect(found).toBeLessThan(20);
  expect(rows).toBeLessThan(500);
});

test('a part that nobody has is found nowhere, by the index too', async () => {
  const { found, rows } = await looksAt('emails co "nobody-here"');
  expect(found).toBe(0);
  expect(rows).toBeLessThan(500);
});
