// An organization with a member of each role, and agents of its own.
import type { Knex } from 'knex';
import type { ReceiptFacts } from '#core/evidence/receipt/link.ts';
import { appendReceipt } from '#core/evidence/receipt/sign.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { inTx } from '#core/kernel/tx.ts';
import { ORGANIZATION_ROLES, type OrganizationRole } from '#contract/states.ts';
import type { TestContext, TestUser } from '#test/support/context.ts';
import { facts, type TestAgent } from '#test/support/verbs.ts';

export const DAY = 86_400_000;

export interface TestOrganization {
  id: string;
  slug: string;
  as: Record<OrganizationRole, TestUser>;
}

export async function addOrganization(db: Knex, ownerId: string, slug = `acme-${newId('org').slice(-12)}`): Promise<{ id: string; slug: string }> {
  const id = newId('org');
  await db('users').insert({ user_id: id, issuer: 'organization', subject: slug, email: '', name: 'Acme', kind: 'organization' });
  await db('organizations').insert({ organization_id: id, slug, name: 'Acme', created_by: ownerId, created_at: new Date() });
  await addMember(db, id, ownerId, 'owner');
  return { id, slug };
}

async function addMember(db: Knex, organization_id: string, user_id: string, role: OrganizationRole): Promise<void> {
  const now = new Date();
  const about = {
    member_id: newId('mem'),
    organization_id,
    user_id,
    email: `${user_id}@example.test`,
    role,
    state: 'active' as const,
    source: 'person' as const,
  };
  await db('organization_members').insert({ ...about, created_at: now, joined_at: now, updated_at: now });
}

export async function organizationOf(t: TestContext): Promise<TestOrganization> {
  const owner = await t.user('owner');
  const { id, slug } = await addOrganization(t.ctx.db, owner.actor.user_id);
  const as: Partial<Record<OrganizationRole, TestUser>> = { owner };
  for (const role of ORGANIZATION_ROLES) {
    if (role === 'owner') continue;
    const user = await t.user(role);
    await addMember(t.ctx.db, id, user.actor.user_id, role);
    as[role] = user;
  }
  // Safe: every role was set above.
  return { id, slug, as: as as TestOrganization['as'] };
}

/** A receipt of a call, recorded at this time. */
export async function receiptOf(ctx: Ctx, agent: TestAgent, more: Partial<ReceiptFacts> = {}, at?: number): Promise<string> {
  const { receipt_id } = await inTx(ctx, (ctx) => appendReceipt(ctx, facts(agent, more)));
  if (at !== undefined)
    await ctx
      .db('receipts')
      .where({ receipt_id })
      .update({ created_at: new Date(at) });
  return receipt_id;
}
