// Organizations: their people, their log, who approves what, and their own sign-in.
import { commands as approvals } from './orgs/approvals.ts';
import { commands as audit } from './orgs/audit.ts';
import { commands as domains } from './orgs/domains.ts';
import { commands as members } from './orgs/members.ts';
import { commands as own } from './orgs/own.ts';
import { commands as provisioned } from './orgs/provisioned.ts';
import { commands as scim } from './orgs/scim.ts';
import { commands as sso } from './orgs/sso.ts';

export const commands = [...own, ...members, ...audit, ...approvals, ...domains, ...scim, ...sso, ...provisioned];
