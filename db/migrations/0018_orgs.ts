// Organizations: members, identity providers, approvals, compliance, the sealed audit log.
import { migrationOf } from '../parts.ts';
import { approvals } from './orgs/approvals.ts';
import { compliance } from './orgs/compliance.ts';
import { organizations } from './orgs/organizations.ts';
import { scim } from './orgs/scim.ts';
import { sso } from './orgs/sso.ts';

export const { up, down } = migrationOf(organizations, scim, sso, approvals, compliance);
