// The token of an invitation's link. It is made from the invitation and a key of the platform, so that
// nothing is kept that opens.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { OrganizationMembersRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';

const PURPOSE = 'organization invitations';

type Invitation = Pick<OrganizationMembersRow, 'member_id' | 'invitation' | 'email'>;

export async function invitationToken({ drivers }: Pick<Ctx, 'drivers'>, i: Invitation): Promise<string> {
  const key = await drivers.vault.derive(PURPOSE);
  const mac = createHmac('sha256', key)
    .update(JSON.stringify([i.member_id, i.invitation, i.email]))
    .digest('base64url');
  return `${i.member_id}.${mac}`;
}

/** After the `#`, which browsers do not send: it is in no log. */
export async function invitationUrl(ctx: Pick<Ctx, 'drivers' | 'config'>, i: Invitation): Promise<string> {
  return `${ctx.config.baseUrl}/invitation#${await invitationToken(ctx, i)}`;
}

export async function opensInvitation(ctx: Pick<Ctx, 'drivers'>, token: string, i: Invitation): Promise<boolean> {
  const [given, right] = [Buffer.from(token), Buffer.from(await invitationToken(ctx, i))];
  return given.length === right.length && timingSafeEqual(given, right);
}
