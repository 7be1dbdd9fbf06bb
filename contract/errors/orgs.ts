// Organizations, their members and domains.
import { errors } from './kit.ts';

export const orgsErrors = errors({
  organization_not_found: {
    status: 404,
    meaning: 'The caller is an active member of no such organization.',
    remedy: 'List your organizations: svc orgs list.',
  },
  organization_exists: { status: 409, meaning: 'Another organization has the slug.', remedy: 'Choose another slug.' },
  too_many_organizations: { status: 409, meaning: 'The person has made as many organizations as allowed.', remedy: 'Ask to join one.' },
  member_not_found: { status: 404, meaning: 'The organization has no such member or invitation.', remedy: 'List them: svc orgs members SLUG.' },
  member_exists: { status: 409, meaning: 'The address belongs to a member already.', remedy: 'Change their role: svc orgs role.' },
  member_invited: { status: 409, meaning: 'The member has not accepted the invitation yet.', remedy: 'Take the invitation back, or wait.' },
  too_many_members: { status: 409, meaning: 'The organization has as many members as allowed.', remedy: 'Remove some first.' },
  last_owner: { status: 409, meaning: 'The organization would have no active owner.', remedy: 'Make another member an owner first.' },
  invitation_gone: { status: 410, meaning: 'The invitation was used, taken back or has expired.', remedy: 'Ask for a new one.' },
  invitation_of_another: { status: 403, meaning: 'The invitation is for another address.', remedy: 'Sign in with the address that was invited.' },
  invitation_open: { status: 409, meaning: 'An invitation for the address is open.', remedy: 'Open the link in the mail.' },
  membership_suspended: { status: 403, meaning: 'The organization has suspended the member.', remedy: 'Ask one of its admins.' },
  organization_domain_not_found: { status: 404, meaning: 'The organization has not claimed this domain.', remedy: 'List them: svc orgs domains SLUG.' },
  organization_domain_exists: { status: 409, meaning: 'The organization has claimed the domain already.', remedy: 'Verify it, or remove it.' },
  too_many_organization_domains: { status: 409, meaning: 'The organization has claimed as many domains as allowed.', remedy: 'Remove some first.' },
  organization_domain_taken: {
    status: 409,
    meaning: 'Another organization has verified the domain, and its record is still there.',
    remedy: 'Remove the record of the other organization, then verify again.',
  },
  organization_domain_unanswered: { status: 502, meaning: 'The name servers did not answer.', remedy: 'Check that they are up, then try again.' },
  scim_token_not_found: { status: 404, meaning: 'The organization has no such SCIM token.', remedy: 'List them: svc orgs scim SLUG.' },
  too_many_scim_tokens: { status: 409, meaning: 'The organization has as many valid SCIM tokens as allowed.', remedy: 'Revoke one first.' },
});
