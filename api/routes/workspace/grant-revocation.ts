import type { grantRevocation } from '#contract/workspace/grant-revocation.ts';
import { revokeGrant } from '#core/workspace/grant/revoke.ts';
import type { Handlers } from '../../http/handlers.ts';

export const grantRevocationRoutes: Handlers<typeof grantRevocation> = { revoke: (ctx, { params }) => revokeGrant(ctx, params) };
