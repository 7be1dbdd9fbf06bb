// Which account belongs to a user of an organization's provider: found only by issuer and subject. A user who
// is not known yet gets a new account. An existing account is joined only where the organization's members
// have it, by an address that is verified on both sides, or by the person themselves.
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { SsoConnectionsRow, UsersRow } from '#db/tables.ts';
import type { Identity } from '#drivers/idp/port.ts';
import { audit } from '../../kernel/audit.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { Conflict, Forbidden } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { storableText } from '../../kernel/storable.ts';

/**
 * Of accounts that an organization's sign-in made, with the organization after it: no other sign-in leads to
 * them.
 */
const ISSUER = 'sso';

export interface Person {
  connection: SsoConnectionsRow & { slug: string };
  identity: Identity;
  /** Verified, of a domain that the organization has proved; lower case. */
  email: string;
  /** Whose account is linked, by their own will. */
  link?: string | undefined;
}

interface AccountOfPerson {
  user: UsersRow;
  /** The provider's person was here before. */
  known: boolean;
  /**
   * By the person, in a session of their own: else the provider's word opens nothing but what they are in the
   * organization.
   */
  linked: boolean;
}

/** @throws Conflict sso_identity_taken; Forbidden sso_link_first */
export async function ssoAccount(ctx: TxCtx, person: Person): Promise<AccountOfPerson> {
  const { connection, identity, link } = person;
  const { organization_id, issuer } = connection;
  const now = new Date(ctx.clock());
  const key = { organization_id, issuer, subject: identity.subject };
  const [seen] = await ctx
    .db('sso_identities')
    .where(key)
    .update({ last_used_at: now, ...(link !== undefined && { linked_at: now }) })
    .returning(['user_id', 'linked_at']);
  if (seen) {
    if (link !== undefined && link !== seen.user_id)
      throw new Conflict('sso_identity_taken', `${person.email} at the provider of ${connection.slug} has another account here already`);
    if (link !== undefined) await audit(ctx, 'organization.sso_link', { user: seen.user_id }, { email: person.email, how: 'own session' }, organization_id);
    return { user: await refreshed(ctx.db, seen.user_id, person), known: true, linked: seen.linked_at !== null };
  }
  const existingUser = link === undefined ? await memberWith(ctx.db, person) : await ctx.db('users').where({ user_id: link, kind: 'person' }).first();
  const user = existingUser ?? (await newUser(ctx.db, person, now));
  await ctx.db('sso_identities').insert({ ...key, user_id: user.user_id, created_at: now, last_used_at: now, linked_at: link === undefined ? null : now });
  const how = link === undefined ? (existingUser ? 'address' : 'new') : 'own session';
  await audit(ctx, 'organization.sso_link', { user: user.user_id }, { email: person.email, how }, organization_id);
  return { user, known: false, linked: link !== undefined };
}

/**
 * A member's account with this address: they took an invitation that was sent to it, or asked to join with
 * it.
 */
async function memberWith(tx: Knex.Transaction, { connection, email }: Person): Promise<UsersRow | undefined> {
  const { organization_id, slug } = connection;
  const rows = await tx('organization_members as m')
    .join('users as u', 'u.user_id', 'm.user_id')
    .where({ 'm.organization_id': organization_id, 'm.email': email, 'u.kind': 'person' })
    .select('u.*', 'm.role');
  const [one] = rows;
  if (!one) return undefined;
  const { role, ...user } = one;
  // An admin chooses the provider, and must not become an owner or an operator by it.
  if (role === 'owner' || user.operator) throw linkFirst(slug);
  // An address that was given to another person at the provider is not the one before.
  const other = await tx('sso_identities').where({ organization_id, user_id: user.user_id, issuer: connection.issuer }).first('subject');
  if (other)
    throw new Conflict(
      'sso_identity_taken',
      `The account of ${email} belongs to another person at the provider of ${slug}: ask an admin to remove that member first`,
    );
  return user;
}

/**
 * Within lockMembers. Somebody whom the provider let in as another role may have become an owner since; an
 * account that it made is its own.
 * @throws Forbidden sso_link_first
 */
export async function requireNotOfOwner(tx: Knex.Transaction, { connection }: Person, user: UsersRow): Promise<void> {
  const { organization_id, slug } = connection;
  if (user.issuer === `${ISSUER}:${organization_id}`) return;
  const owner = await tx('organization_members').where({ organization_id, user_id: user.user_id, role: 'owner' }).first('member_id');
  if (owner) throw linkFirst(slug);
}

function linkFirst(slug: string): Forbidden {
  return new Forbidden('sso_link_first', `Only you can link your account: sign in without ${slug}, then link it at /organizations/${slug}/sso`);
}

async function newUser(tx: Knex.Transaction, { connection, identity, email }: Person, now: Date): Promise<UsersRow> {
  const subject = createHash('sha256').update(JSON.stringify([connection.issuer, identity.subject])).digest('hex'); // prettier-ignore
  const [user] = await tx('users')
    .insert({
      user_id: newId('usr', now.getTime()),
      issuer: `${ISSUER}:${connection.organization_id}`,
      subject,
      email,
      name: identity.name === null ? null : storableText(identity.name).slice(0, 200),
      operator: false,
      created_at: now,
      last_seen_at: now,
    })
    .onConflict(['issuer', 'subject'])
    .merge({ email, last_seen_at: now })
    .returning('*');
  if (!user) throw new Error('an inserted row came back empty');
  return user;
}

/** The provider says what an account is called that it made; of others it changes nothing. */
async function refreshed(tx: Knex.Transaction, userId: string, { connection, email }: Person): Promise<UsersRow> {
  await tx('users').where({ user_id: userId, issuer: `${ISSUER}:${connection.organization_id}` }).whereNot({ email }).update({ email }); // prettier-ignore
  const user = await tx('users').where({ user_id: userId }).first();
  if (!user) throw new Error(`no user ${userId}`);
  return user;
}
