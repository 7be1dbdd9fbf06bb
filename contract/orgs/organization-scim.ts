// What an organization sees of its provisioning, and the one thing that it decides of it: which role the
// members of a group have.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import { Instant, nextCursor, pageQuery } from '../shared.ts';
import { MEMBER_STATES, SCIM_ROLES, type ScimRole } from '../states.ts';
import { OrganizationParams, OrganizationRole } from './organizations.ts';

const MAX_SCIM_ROLES = 200;

/** Of who is in no group with a role. */
export const SCIM_DEFAULT_ROLE: ScimRole = 'auditor';

const Role = z.enum(SCIM_ROLES);

export const ScimUserSeen = z
  .strictObject({
    user_id: z.string(),
    user_name: z.string(),
    display_name: z.string().nullable(),
    email: z.string().nullable().meta({ description: 'The address that the organization invites; null: no address was sent.' }),
    active: z.boolean(),
    groups: z.array(z.string()).meta({ description: 'Their names.' }),
    member: z
      .strictObject({ member_id: z.string(), state: z.enum(MEMBER_STATES), role: OrganizationRole })
      .nullable()
      .meta({ description: 'null: not active, or without an address.', id: 'ScimUserMember' }),
    updated_at: Instant,
  })
  .meta({ id: 'ScimUserSeen' });

export const ScimGroupSeen = z
  .strictObject({
    group_id: z.string(),
    name: z.string(),
    members: z.int().min(0),
    role: Role.nullable().meta({ description: 'null: none is given by it.' }),
    updated_at: Instant,
  })
  .meta({ id: 'ScimGroupSeen' });

const ScimRoles = z
  .strictObject({
    roles: z
      .array(
        z.strictObject({ group: z.string().trim().min(1).max(1_024).meta({ description: 'displayName, in any case; the group may come later.' }), role: Role }),
      )
      .max(MAX_SCIM_ROLES),
  })
  .meta({ id: 'ScimRoles' });

const shared = { scope: 'account', personal: true } as const;

export const organizationScim = svcGroup({
  users: {
    at: 'GET /v1/me/organizations/{slug}/scim/users',
    summary: 'Provisioned users, and which members they are; oldest first',
    ...shared,
    params: OrganizationParams,
    query: pageQuery(50, 200, ['m']),
    out: z.strictObject({ items: z.array(ScimUserSeen), next_cursor: nextCursor }).meta({ id: 'ScimUsersSeen' }),
    errors: [400, 401, 403, 404],
  },
  groups: {
    at: 'GET /v1/me/organizations/{slug}/scim/groups',
    summary: 'Provisioned groups, and the roles that they give; oldest first',
    ...shared,
    params: OrganizationParams,
    query: pageQuery(50, 200, ['m']),
    out: z.strictObject({ items: z.array(ScimGroupSeen), next_cursor: nextCursor }).meta({ id: 'ScimGroupsSeen' }),
    errors: [400, 401, 403, 404],
  },
  roles: {
    at: 'GET /v1/me/organizations/{slug}/scim/roles',
    summary: 'List the groups that give a role',
    ...shared,
    params: OrganizationParams,
    out: ScimRoles,
    errors: [401, 403, 404],
  },
  putRoles: {
    at: 'PUT /v1/me/organizations/{slug}/scim/roles',
    summary: 'Set which groups give a role; it applies to their members at once',
    description: `The highest of several roles counts: ${SCIM_ROLES.join(', ')}. A person in no such group has the role ${SCIM_DEFAULT_ROLE}. Owners stay owners.`,
    ...shared,
    params: OrganizationParams,
    body: ScimRoles,
    out: ScimRoles,
    errors: [401, 403, 404],
  },
});
