// What the identity provider of an organization of the person has provisioned. Its token: World.tokens.scim.
import { newId } from '#core/kernel/ids.ts';
import type { Ctx, OrgScimActor } from '#core/kernel/ctx.ts';
import { createScimGroup } from '#core/orgs/scim/group/write.ts';
import { createScimUser } from '#core/orgs/scim/user/write.ts';
import { addOrganization } from '../../support/scim.ts';
import type { AreaRecords, Owner } from './area.ts';

const ROUTES = ['serviceProviderConfig', 'resourceTypes', 'schemas', 'users', 'createUser', 'user', 'replaceUser', 'patchUser', 'deleteUser', 'groups'];
const GROUP_ROUTES = [
  'createGroup',
  'group',
  'replaceGroup',
  'patchGroup',
  'deleteGroup',
  'search',
  'searchUsers',
  'searchGroups',
  'schema',
  'resourceType',
  'bulk',
];
const SETTINGS = ['users', 'groups', 'roles', 'putRoles'];

export async function scimRecords({ ctx, userId }: Owner): Promise<AreaRecords> {
  const { organization_id, slug } = await addOrganization(ctx.db, `scim-${userId.slice(-8)}`, userId);
  const actor: OrgScimActor = { kind: 'org_scim', token_id: newId('scm'), organization_id, slug, role: 'owner' };
  const provider: Ctx = { ...ctx, actor };
  const user = async (userName: string) => (await createScimUser(provider, { body: { userName } })).document.id;
  const group = async (displayName: string, ...members: string[]) =>
    (await createScimGroup(provider, { body: { displayName, members: members.map((value) => ({ value })) } })).document.id;
  const first = await user('first@example.test');
  const named = (routes: string[], of: string) => Object.fromEntries(routes.map((route) => [`${of}.${route}.slug`, slug]));
  return {
    params: {
      ...named(ROUTES, 'scim'),
      ...named(GROUP_ROUTES, 'scim'),
      ...named(SETTINGS, 'organizationScim'),
      'scim.user.user_id': first,
      'scim.replaceUser.user_id': first,
      'scim.patchUser.user_id': first,
      'scim.deleteUser.user_id': await user('second@example.test'),
      group_id: await group('Team', first),
      'scim.deleteGroup.group_id': await group('Other'),
      'scim.schema.schema': 'urn:ietf:params:scim:schemas:core:2.0:User',
      'scim.resourceType.type': 'User',
    },
    calls: {
      'scim.createGroup': { body: { displayName: 'Made' } },
      'scim.patchGroup': {
        body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [{ op: 'replace', path: 'displayName', value: 'Crew' }] },
      },
      'scim.replaceGroup': { body: { displayName: 'Team' } },
      'scim.createUser': { body: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: `made-${newId('scu')}` } },
      'scim.replaceUser': { body: { userName: 'first@example.test', active: true }, headers: {} },
    },
  };
}
