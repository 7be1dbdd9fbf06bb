import type { OrganizationMembersRow } from '#db/tables.ts';
import { afterCommit } from '../../kernel/after-commit.ts';
import { memberActor } from '../../accounts/acting.ts';
import { act, recorded } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import { forgetControl } from '../../accounts/control.ts';
import type { Ctx, TxCtx, UserActor } from '../../kernel/ctx.ts';
import { Forbidden, Gone } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { getOrganization } from '../organization/list.ts';
import type { Organization } from '../organization/present.ts';
import { lockMembers } from './find.ts';
import { requireSeat } from './seats.ts';
import { opensInvitation } from './token.ts';

/**
 * Both the link and the address are needed.
 * @throws Gone invitation_gone; Forbidden invitation_of_another, membership_suspended, sso_required;
 * PaymentRequired seats_taken
 */
export async function acceptInvitation(ctx: Ctx, { token }: { token: string }): Promise<Organization> {
  const memberId = token.slice(0, token.indexOf('.'));
  return act(ctx, 'organization.join', joining, async (inner, { actor: user }) => {
    const seen = await inner.db('organization_members').where({ member_id: memberId }).first('organization_id');
    if (!seen) throw gone();
    await lockMembers(inner.db, seen.organization_id);
    const row = await inner.db('organization_members').where({ member_id: memberId, state: 'invited' }).first();
    if (!row?.expires_at || row.expires_at.getTime() <= ctx.clock() || !(await opensInvitation(ctx, token, row))) throw gone();
    if (row.email !== user.email.toLowerCase())
      throw new Forbidden('invitation_of_another', `This invitation is for ${row.email}, and you are signed in as ${user.email}: sign in with that address`);
    await enter(inner, row, user);
    // Who was a stranger until now is none for what follows, here and after the commit.
    forgetControl(inner.db, user.user_id);
    afterCommit(inner.db, (db) => forgetControl(db, user.user_id));
    const { organization_id } = row;
    const actor = await memberActor(inner.db, user, { organization_id });
    await audit({ ...inner, actor: actor ?? user }, 'organization.join', { member: row.member_id }, { email: row.email, role: row.role, source: row.source });
    const organization = await inner.db('organizations').where({ organization_id }).first('slug');
    return recorded(await getOrganization(inner, { slug: organization?.slug ?? '' }));
  });
}

/** Who accepts is let in: what follows asks as if they were no stranger. */
function joining(ctx: Ctx, action: 'organization.join'): { actor: UserActor } {
  const { only_joins: _, ...actor } = requireUser(ctx, action);
  return { actor };
}

/** Who is a member already, by another address, stays as they are. */
async function enter(ctx: TxCtx, row: OrganizationMembersRow, { user_id }: UserActor): Promise<void> {
  const known = await ctx.db('organization_members').where({ organization_id: row.organization_id, user_id }).first('state');
  if (known?.state === 'suspended') throw new Forbidden('membership_suspended', 'The organization has suspended you: ask one of its admins');
  const invited = ctx.db('organization_members').where({ member_id: row.member_id });
  if (known) return void (await invited.delete());
  await requireSeat(ctx, row.organization_id, 'active');
  const now = new Date(ctx.clock());
  await invited.update({ user_id, state: 'active', joined_at: now, updated_at: now, expires_at: null });
}

function gone(): Gone {
  return new Gone('invitation_gone', 'This invitation was used, taken back or has expired: ask for a new one');
}
