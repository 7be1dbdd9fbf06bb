// An organization with members of every role, for tests.
import type { OrganizationRole } from '#contract/states.ts';
import { invitationToken } from '../member/token.ts';
import { acceptInvitation } from '../member/accept.ts';
import { inviteMember } from '../member/invite.ts';
import { createOrganization } from '../organization/create.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { memberActor } from '../../accounts/acting.ts';
import type { TestContext, TestUser } from '#test/support/context.ts';
import { setSetting } from '#test/support/settings.ts';

/** How many members organizations of this database may have, whatever their plan. */
export const freeSeats = (ctx: Pick<Ctx, 'db'>, value: number): Promise<void> => setSetting(ctx, 'free_seats_per_organization', value);

let count = 0;

export interface TestOrganization {
  slug: string;
  id: string;
  owner: TestUser;
}

export async function testOrganization(t: TestContext): Promise<TestOrganization> {
  const owner = await t.user('owner');
  const slug = `acme-${(count += 1)}`;
  const { organization_id } = await createOrganization(owner, { slug, name: 'Acme' });
  return { slug, id: organization_id, owner };
}

/** Invited by the owner, and has accepted. */
export async function joined(t: TestContext, of: TestOrganization, role: OrganizationRole, name: string = role): Promise<TestUser & { memberId: string }> {
  const user = await t.user(name);
  const { member_id } = await inviteMember(of.owner, { slug: of.slug, email: user.actor.email, role });
  const row = await t.ctx.db('organization_members').where({ member_id }).first();
  if (!row) throw new Error('no invitation');
  await acceptInvitation(user, { token: await invitationToken(t.ctx, row) });
  return { ...user, memberId: member_id };
}

/** As what the person acts for it. */
export async function actingAs<U extends TestUser>(user: U, slug: string): Promise<U> {
  const actor = await memberActor(user.db, user.actor, { slug });
  if (!actor) throw new Error('no member');
  return { ...user, actor };
}
