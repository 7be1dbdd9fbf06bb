import {
  OrgsApprovalsCommand,
  OrgsApprovalsPushCommand,
  OrgsDelegateCommand,
  OrgsDelegationsCommand,
  OrgsEndDelegationCommand,
} from '../commands/orgs/approvals.ts';
import { OrgsAuditCommand, OrgsAuditVerifyCommand } from '../commands/orgs/audit.ts';
import { OrgsClaimDomainCommand, OrgsDomainsCommand, OrgsRemoveDomainCommand, OrgsVerifyDomainCommand } from '../commands/orgs/domains.ts';
import { OrgsAcceptCommand, OrgsJoinCommand } from '../commands/orgs/join.ts';
import { OrgsAutoJoinCommand, OrgsCreateCommand, OrgsListCommand } from '../commands/orgs/list.ts';
import { OrgsInviteCommand, OrgsLeaveCommand, OrgsMembersCommand, OrgsRemoveCommand, OrgsRoleCommand, OrgsSuspendCommand } from '../commands/orgs/members.ts';
import { OrgsGroupRoleCommand, OrgsGroupsCommand, OrgsProvisionedCommand } from '../commands/orgs/provisioned.ts';
import { OrgsScimCommand, OrgsScimRevokeCommand, OrgsScimTokenCommand } from '../commands/orgs/scim.ts';
import { OrgsSsoCommand, OrgsSsoConnectCommand, OrgsSsoRemoveCommand, OrgsSsoRequireCommand } from '../commands/orgs/sso.ts';

export const commands = [
  OrgsListCommand,
  OrgsCreateCommand,
  OrgsAutoJoinCommand,
  OrgsMembersCommand,
  OrgsInviteCommand,
  OrgsRoleCommand,
  OrgsSuspendCommand,
  OrgsRemoveCommand,
  OrgsLeaveCommand,
  OrgsAcceptCommand,
  OrgsJoinCommand,
  OrgsAuditCommand,
  OrgsAuditVerifyCommand,
  OrgsApprovalsCommand,
  OrgsApprovalsPushCommand,
  OrgsDelegationsCommand,
  OrgsDelegateCommand,
  OrgsEndDelegationCommand,
  OrgsDomainsCommand,
  OrgsClaimDomainCommand,
  OrgsVerifyDomainCommand,
  OrgsRemoveDomainCommand,
  OrgsScimCommand,
  OrgsScimTokenCommand,
  OrgsScimRevokeCommand,
  OrgsSsoCommand,
  OrgsSsoConnectCommand,
  OrgsSsoRemoveCommand,
  OrgsSsoRequireCommand,
  OrgsProvisionedCommand,
  OrgsGroupsCommand,
  OrgsGroupRoleCommand,
];
