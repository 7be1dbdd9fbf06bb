// Organizations, their members and domains.
import { errors } from './kit.ts';

export const orgsErrors = errors({
  organization_not_found: {
    status: 404,
    meaning: 'The caller is an active member of no such organization.',
    remedy: 'List your organizations: svc orgs list.',
  },
});
