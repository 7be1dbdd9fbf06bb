// An admin of an organization who wants to be its owner, by the credentials that admins issue.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#core/kernel/ids.ts';
import { createWorld, type World } from '../api/world.ts';
import { scimCall } from '../support/scim.ts';

const slug = 'hostile-admin';
let world: World;
let members: Record<'ada' | 'ben', { member_id: string; email: string }>;

/** Ada has made the organization, with the operator as a second owner; Ben is its admin. */
beforeAll(async () => {
  world = await createWorld();
  const ada = world.as('ada').organizations;
  await ada.create({ body: { slug, name: slug } });
  const organization = await world.ctx.db('organizations').where({ slug }).first('organization_id');
  const at = new Date();
  for (const [who, role] of [['ben', 'admin'], ['operator', 'owner']] as const) {
    const { user_id, email } = await world.as(who).auth.me();
    const row = { member_id: newId('mem'), organization_id: organization?.organization_id ?? '', user_id, email, role, state: 'active' as const };
    await world.ctx.db('organization_members').insert({ ...row, source: 'person', created_at: at, joined_at: at, updated_at: at });
  } // prettier-ignore
  const { items } = await ada.members({ params: { slug } });
  const emailOf = async (who: 'ada' | 'ben') => (await world.as(who).auth.me()).email;
  const find = (email: string) => ({ email, member_id: items.find((one) => one.email === email)?.member_id ?? '' });
  members = { ada: find(await emailOf('ada')), ben: find(await emailOf('ben')) };
});
afterAll(() => world.close());

const tokenOf = async (who: 'ada' | 'ben'): Promise<{ token: string; token_id: string }> =>
  world.as(who).organizations.createScimToken({ params: { slug }, body: { name: who } });
const stateOf = async (member_id: string) => {
  const { items } = await world.as('ada').organizations.members({ params: { slug } });
  return items.find((one) => one.member_id === member_id)?.state;
};

test('by SCIM an admin suspends, removes and restores no owner; a token that an owner issued does', async () => {
  const bens = { slug, ...(await tokenOf('ben')) };
  const body = { userName: 'the-owner', emails: [{ value: members.ada.email, primary: true }] };
  const refused = { status: 403, body: { detail: expect.stringContaining('only a SCIM token that an owner issued') } };
  // At once, then in two steps, then by removal, then in bulk.
  expect((await scimCall(world.url, bens, 'POST', '/Users', { ...body, active: false })).status).toBe(403);
  const made = await scimCall(world.url, bens, 'POST', '/Users', body);
  expect(made.status).toBe(201);
  const { id } = made.body as { id: string };
  const off = { Operations: [{ op: 'replace', value: { active: false } }] };
  expect(await scimCall(world.url, bens, 'PATCH', `/Users/${id}`, off)).toMatchObject(refused);
  expect(await scimCall(world.url, bens, 'PUT', `/Users/${id}`, { ...body, active: false })).toMatchObject(refused);
  expect(await scimCall(world.url, bens, 'DELETE', `/Users/${id}`)).toMatchObject(refused);
  const bulk = { schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'], Operations: [{ method: 'DELETE', path: `/Users/${id}` }] };
  expect(JSON.stringify((await scimCall(world.url, bens, 'POST', '/Bulk', bulk)).body)).toContain('403');
  expect(await stateOf(members.ada.member_id)).toBe('active');
  // The other owner suspended her: he does not bring her back.
  const hers = { slug, ...(await tokenOf('ada')) };
  expect((await scimCall(world.url, hers, 'PATCH', `/Users/${id}`, off)).status).toBe(200);
  expect((await world.as('operator').organizations.members({ params: { slug } })).items.find((one) => one.member_id === members.ada.member_id)?.state).toBe(
    'suspended',
  );
  const on = { Operations: [{ op: 'replace', value: { active: true } }] };
  expect(await scimCall(world.url, bens, 'PATCH', `/Users/${id}`, on)).toMatchObject(refused);
  await world.as('operator').organizations.updateMember({ params: { slug, member_id: members.ada.member_id }, body: { state: 'active' } });
});

test('a token ends with the rights of who issued it', async () => {
  const { token, token_id } = await tokenOf('ben');
  const of = { slug, token };
  const ada = world.as('ada').organizations;
  const listed = async () => (await ada.scimTokens({ params: { slug } })).items.find((one) => one.token_id === token_id);
  expect((await scimCall(world.url, of, 'GET', '/Users')).status).toBe(200);
  expect(await listed()).toMatchObject({ valid: true });
  for (const change of [{ role: 'developer' }, { state: 'suspended' }] as const) {
    await ada.updateMember({ params: { slug, member_id: members.ben.member_id }, body: change });
    expect((await scimCall(world.url, of, 'GET', '/Users')).status).toBe(401);
    expect(await listed()).toMatchObject({ valid: false, revoked_at: null });
    await ada.updateMember({ params: { slug, member_id: members.ben.member_id }, body: { role: 'admin', state: 'active' } });
    expect((await scimCall(world.url, of, 'GET', '/Users')).status).toBe(200);
  }
  await ada.removeMember({ params: { slug, member_id: members.ben.member_id } });
  expect((await scimCall(world.url, of, 'POST', '/Users', { userName: 'late' })).status).toBe(401);
});
