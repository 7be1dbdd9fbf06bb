// Taking back what was given, before its time.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import { GrantId } from './grants.ts';

export const grantRevocation = svcGroup({
  revoke: {
    at: 'DELETE /v1/me/grants/{grant_id}',
    summary: 'Revoke a grant of one’s files, and with it all that came from it',
    description: 'Holds from the next use on. A grant that is revoked or over answers the same.',
    scope: 'account',
    params: z.object({ grant_id: GrantId }),
    status: 204,
    errors: [401, 403, 404],
  },
});
