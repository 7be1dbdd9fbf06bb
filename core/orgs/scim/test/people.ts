// An organization's identity provider as a caller of verbs, and people whom it sends.
import type { Ctx, OrgScimActor } from '../../../kernel/ctx.ts';
import { freeSeats } from '../../test/organization.ts';
import { addOrganization } from '#test/support/scim.ts';
import type { Document } from '../schema/attribute.ts';
import { ENTERPRISE } from '../schema/user.ts';

export type ScimCtx = Ctx & { actor: OrgScimActor };

export async function identityProvider(ctx: Ctx, slug: string, owner?: string): Promise<ScimCtx> {
  // Seats are not what these tests are about.
  await freeSeats(ctx, 1_000);
  const { organization_id } = await addOrganization(ctx.db, slug, owner ?? null);
  return { ...ctx, actor: { kind: 'org_scim', token_id: `scm_${slug}`, organization_id, slug, role: 'owner' } };
}

const FIRST = ['Ada', 'Grace', 'Hedy', 'Ida', 'Mary', 'Émilie', '100%_sure', 'back\\slash'];

/** All different, with attributes of each kind; some have none. */
export function person(n: number): Document {
  const givenName = FIRST[n % FIRST.length] ?? '';
  return {
    userName: `User-${n}@Acme.example`,
    externalId: `Ext-${n}`,
    active: n % 3 !== 0,
    name: { givenName, familyName: `Family${n % 5}` },
    ...(n % 2 === 0 && { title: n % 4 === 0 ? 'Engineer' : 'engineer' }),
    ...(n % 7 === 0 && { profileUrl: `https://people.example/P${n}` }),
    emails: [{ value: `user-${n}@acme.example`, type: 'work', primary: true }, ...(n % 2 === 0 ? [{ value: `u${n}@home.example`, type: 'home' }] : [])],
    ...(n % 5 === 0 && { [ENTERPRISE]: { department: `Dept ${n % 10}`, manager: { value: `User-${n - 1}` } } }),
  };
}
