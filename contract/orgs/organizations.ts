// Organizations: accounts that several people act for, each by a role.
import { z } from 'zod';
import { Instant } from '../shared.ts';
import { ORGANIZATION_ROLES } from '../states.ts';

export const ORGANIZATION_SLUG = '[a-z][a-z0-9-]{1,37}[a-z0-9]';
export const OrganizationSlug = z
  .string()
  .regex(new RegExp(`^${ORGANIZATION_SLUG}$`), 'use 3 to 39 lower-case letters, digits and "-", beginning with a letter')
  .meta({ examples: ['acme'] });

export const OrganizationParams = z.object({ slug: OrganizationSlug });

export const OrganizationRole = z.enum(ORGANIZATION_ROLES).meta({
  id: 'OrganizationRole',
  description:
    'owner and admin: everything; only an owner changes owners. developer: agents and what they do. operator: what agents do. auditor: reads. billing: pays and reads.',
});

export const OrganizationOut = z
  .strictObject({
    organization_id: z.string(),
    slug: OrganizationSlug,
    name: z.string(),
    role: OrganizationRole.meta({ description: "The caller's." }),
    members: z.int().min(0).meta({ description: 'Active ones.' }),
    created_at: Instant,
  })
  .meta({ id: 'OrganizationOut' });
